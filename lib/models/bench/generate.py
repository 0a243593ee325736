"""A generated token of GPT-2 small, Simple beside transformers, one thread, in turn: python3 generate.py path/to/simple"""
import subprocess
import sys
import time
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.set_num_threads(1)
torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config()).eval()
prompt = torch.tensor([[i * 37 % 50000 for i in range(16)]])
options = dict(do_sample=False, pad_token_id=0, eos_token_id=None)
model.generate(prompt, max_new_tokens=4, **options)
theirs, ours = [], []
for turn in range(3):
    for _ in range(3):
        start = time.time()
        model.generate(prompt, max_new_tokens=40, **options)
        theirs.append((time.time() - start) * 1000 / 40)
    program = Path(__file__).with_name("generate.spl")
    command = [sys.argv[1], "--device", "cpu", str(program)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    ours += [float(line) for line in said.split()]
print(f"milliseconds a token, the fastest of nine: Simple {min(ours):.1f}, transformers {min(theirs):.1f},", end=" ")
print(f"ratio {min(ours) / min(theirs):.2f}")
