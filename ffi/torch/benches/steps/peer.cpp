// The C++ side of the step benchmarks: `peer WORKLOAD` prints the microseconds of one step. See peer.py for the workloads.

#include <chrono>
#include <cstdlib>
#include <cstdio>
#include <string>

#include <torch/torch.h>

namespace {

template <typename Step>
double timed(Step step, int warm, int count) {
  for (int i = 0; i < warm; i++) step();
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; i++) step();
  std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  return took.count() / count;
}

template <typename Forward, typename Loss>
double trained(Forward forward, Loss loss, torch::optim::Optimizer& optimizer, int warm, int count) {
  return timed(
      [&] {
        optimizer.zero_grad();
        loss(forward()).backward();
        optimizer.step();
      },
      warm, count);
}

double add() {
  auto a = torch::randn({2, 2}), b = torch::randn({2, 2});
  return timed([&] { auto c = at::add(a, b); }, 10000, 200000);
}

double xor_() {
  auto inputs = torch::tensor({0.f, 0.f, 0.f, 1.f, 1.f, 0.f, 1.f, 1.f}).reshape({4, 2});
  auto targets = torch::tensor({0.f, 1.f, 1.f, 0.f}).reshape({4, 1});
  torch::nn::Sequential model(torch::nn::Linear(2, 8), torch::nn::ReLU(), torch::nn::Linear(8, 4), torch::nn::ReLU(),
                              torch::nn::Linear(4, 1), torch::nn::Sigmoid());
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.5).momentum(0.9));
  return trained([&] { return model->forward(inputs); }, [&](auto y) { return torch::mse_loss(y, targets); }, optimizer, 200, 2000);
}

double mlp() {
  auto inputs = torch::randn({128, 784}), targets = torch::randint(0, 10, {128}, torch::kLong);
  torch::nn::Sequential model(torch::nn::Linear(784, 512), torch::nn::ReLU(), torch::nn::Linear(512, 256), torch::nn::ReLU(),
                              torch::nn::Linear(256, 128), torch::nn::ReLU(), torch::nn::Linear(128, 10));
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(0.001));
  return trained([&] { return model->forward(inputs); }, [&](auto y) { return torch::cross_entropy_loss(y, targets); }, optimizer, 20, 200);
}

double cnn() {
  auto inputs = torch::randn({64, 1, 28, 28}), targets = torch::randint(0, 10, {64}, torch::kLong);
  using torch::nn::Conv2dOptions;
  torch::nn::Sequential model(torch::nn::Conv2d(Conv2dOptions(1, 16, 3).padding(1)), torch::nn::ReLU(), torch::nn::MaxPool2d(2),
                              torch::nn::Conv2d(Conv2dOptions(16, 32, 3).padding(1)), torch::nn::ReLU(), torch::nn::MaxPool2d(2),
                              torch::nn::Flatten(), torch::nn::Linear(32 * 7 * 7, 10));
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(0.001));
  return trained([&] { return model->forward(inputs); }, [&](auto y) { return torch::cross_entropy_loss(y, targets); }, optimizer, 10, 100);
}

double lstm() {
  auto inputs = torch::randn({32, 32, 64}), targets = torch::randint(0, 64, {32 * 32}, torch::kLong);
  torch::nn::LSTM layer(torch::nn::LSTMOptions(64, 128).batch_first(true));
  torch::nn::Linear head(128, 64);
  auto parameters = layer->parameters();
  for (auto& parameter : head->parameters()) parameters.push_back(parameter);
  torch::optim::Adam optimizer(parameters, torch::optim::AdamOptions(0.001));
  auto forward = [&] { return head->forward(std::get<0>(layer->forward(inputs))).reshape({-1, 64}); };
  return trained(forward, [&](auto y) { return torch::cross_entropy_loss(y, targets); }, optimizer, 10, 100);
}

}  // namespace

int main(int count, char** words) {
  const char* threads = std::getenv("OMP_NUM_THREADS");
  torch::set_num_threads(threads ? std::atoi(threads) : 2);
  torch::manual_seed(0);
  std::string workload = count > 1 ? words[1] : "";
  double micros = workload == "add" ? add() : workload == "xor" ? xor_() : workload == "mlp" ? mlp() : workload == "cnn" ? cnn() : workload == "lstm" ? lstm() : -1;
  if (micros < 0) {
    fprintf(stderr, "usage: peer add|xor|mlp|cnn|lstm\n");
    return 2;
  }
  printf("%.3f\n", micros);
  fflush(stdout);
  _Exit(0);  // libtorch's destructors take longer than the shortest workload
}
