// A client of the Language Server Protocol over the standard input and output of a process: requests with answers,
// notifications both ways. Knows nothing of VS Code; extension.js does.
"use strict";

const { spawn } = require("child_process");

class Client {
    // `notified` is called with the method and the parameters of what the server says by itself; `ended` when it ends.
    constructor(command, folder, notified, ended) {
        this.notified = notified;
        this.waiting = new Map();
        this.number = 0;
        this.rest = Buffer.alloc(0);
        this.process = spawn(command, ["lsp"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
        const over = (why) => {
            for (const { reject } of this.waiting.values()) reject(new Error(why));
            this.waiting.clear();
            ended(why);
        };
        this.process.on("error", (error) => over(error.message));
        this.process.on("exit", (code) => over(`the language server has ended with ${code}`));
        // What is written after its end is lost, and `exit` tells of that.
        this.process.stdin.on("error", () => {});
        this.process.stdout.on("data", (data) => this.read(data));
    }

    read(data) {
        this.rest = Buffer.concat([this.rest, data]);
        for (;;) {
            const end = this.rest.indexOf("\r\n\r\n");
            if (end < 0) return;
            const length = /Content-Length: *(\d+)/i.exec(this.rest.toString("ascii", 0, end));
            const from = end + 4;
            const to = from + Number(length ? length[1] : 0);
            if (this.rest.length < to) return;
            const text = this.rest.toString("utf8", from, to);
            this.rest = this.rest.subarray(to);
            this.receive(JSON.parse(text));
        }
    }

    receive(message) {
        if (message.method !== undefined) {
            // The server asks nothing that needs an answer.
            if (message.id === undefined) this.notified(message.method, message.params);
            return;
        }
        const one = this.waiting.get(message.id);
        if (one === undefined) return;
        this.waiting.delete(message.id);
        if (message.error !== undefined) one.reject(new Error(message.error.message));
        else one.resolve(message.result);
    }

    send(message) {
        const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }), "utf8");
        this.process.stdin.write(`Content-Length: ${text.length}\r\n\r\n`);
        this.process.stdin.write(text);
    }

    tell(method, params) {
        this.send({ method, params });
    }

    ask(method, params) {
        const id = ++this.number;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            this.send({ id, method, params });
        });
    }

    // Ends the server as the protocol wants it.
    async stop() {
        try {
            await this.ask("shutdown", null);
            this.tell("exit", null);
        } catch {
            this.process.kill();
        }
    }
}

module.exports = { Client };
