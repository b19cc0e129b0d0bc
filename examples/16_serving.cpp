// An encoder serves several clients, each a thread. What this shows:
//
// - Tensors belong to one rank, and one thread at a time records for it. So clients hand in plain
//   numbers and wait for plain numbers, and each worker is a rank of its own. Workers take from one
//   queue and never call a collective. The weights are there once, shared by all, and so is the
//   compiled function.
// - A worker takes what waits for it at once, up to a limit. That pays where one sentence does not
//   keep a device busy; on a few cores it evens the latencies out, and more workers do more.
// - A new shape is a new program. Lengths are filled up to 16, 32 or 64 tokens and batches to 1, 2,
//   4 or 8 sentences, so that there are 12 programs; they are made before the first client comes.
//
//   serving [FOLDER]     (config.json and model.safetensors as 15_encoder.cpp takes them)

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <future>
#include <latch>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "bert.h"

namespace {

using Tokens = std::vector<std::int32_t>;
using Vector = std::vector<float>;
using Clock = std::chrono::steady_clock;

constexpr std::array<std::size_t, 3> kLengths = {16, 32, 64};
constexpr std::size_t kLargestBatch = 8;
constexpr int kClients = 8;
constexpr int kRequests = 60;  // of a client

// The first that is no smaller.
std::size_t padded_length(std::size_t length) {
  return *std::lower_bound(kLengths.begin(), kLengths.end(), length);
}

struct Request {
  Tokens tokens;
  std::promise<Vector> answer;
};

// From the clients to the workers.
class Queue {
 public:
  void push(Request request) {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    waiting_.push_back(std::move(request));
    changed_.notify_one();
  }

  // The request that has waited longest, and what else waits of its padded length; nothing when the
  // queue is closed and empty.
  std::vector<Request> take(std::size_t most) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    std::vector<Request> batch;
    for (auto at = waiting_.begin(); at != waiting_.end() && batch.size() < most;) {
      const auto length_of = [](const Request& r) { return padded_length(r.tokens.size()); };
      if (batch.empty() || length_of(*at) == length_of(batch[0])) {
        batch.push_back(std::move(*at));
        at = waiting_.erase(at);
      } else {
        ++at;
      }
    }
    return batch;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // A worker is lost: the others end, and all who wait are told, as are all who come.
  void fail(const std::exception_ptr& why) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = why;
    for (Request& request : waiting_) request.answer.set_exception(failure_);
    waiting_.clear();
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> waiting_;
  bool closed_ = false;
  std::exception_ptr failure_;
};

struct Model {
  BertConfig config;
  Shared<Bert> weights;
};

// Without a folder of random weights.
Model make_model(const std::filesystem::path& folder) {
  const BertConfig config =
      folder.empty() ? BertConfig() : read_bert_config(folder / "config.json");
  return {.config = config,
          .weights = share(folder.empty() ? make_bert(config, Key(1)) : load_bert(config, folder))};
}

// What is compiled.
struct Embed {
  BertConfig config;

  Tensor operator()(const Bert& bert, const Sentences& sentences) const {
    return embed(config, bert, sentences);
  }
};

class Server {
 public:
  // Returns when all programs are compiled.
  Server(const Model& model, int workers, std::size_t most)
      : weights_(model.weights),
        step_(compile(Embed{model.config})),
        most_(most),
        ready_(workers),
        ranks_([this, workers] { run(workers); }) {
    ready_.wait();
  }
  // Answers what was submitted, and ends.
  ~Server() {
    queue_.close();
    ranks_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // From any thread.
  std::future<Vector> submit(Tokens tokens) {
    if (tokens.empty() || tokens.size() > kLengths.back()) {
      throw std::invalid_argument("a sentence has 1 to 64 tokens");
    }
    Request request = {.tokens = std::move(tokens), .answer = {}};
    std::future<Vector> answer = request.answer.get_future();
    queue_.push(std::move(request));
    return answer;
  }

  std::size_t programs() const { return programs_; }  // of a worker

 private:
  void run(int workers) {
    try {
      simulate(workers, [this](World& world) {
        try {
          work(world);
        } catch (...) {
          queue_.fail(std::current_exception());
          throw;
        }
      });
    } catch (...) {
      queue_.fail(std::current_exception());
      while (!ready_.try_wait()) ready_.count_down();
    }
  }

  // On a rank's own thread.
  void work(const World& world) {
    const Bert bert = weights_.on(world);
    auto step = step_.on(world);
    for (const std::size_t length : kLengths) {
      for (std::size_t batch = 1; batch <= most_; batch *= 2) {
        // From the second run on a program is one native function.
        for (int i = 0; i < 2; ++i) {
          eval(step(bert, sentences_of(std::vector(batch, Tokens{0}), length)));
        }
      }
    }
    programs_ = step.programs();
    ready_.count_down();

    for (;;) {
      std::vector<Request> requests = queue_.take(most_);
      if (requests.empty()) return;
      try {
        answer(requests, [&](const Sentences& sentences) { return step(bert, sentences); });
      } catch (...) {
        for (Request& request : requests) request.answer.set_exception(std::current_exception());
        throw;
      }
    }
  }

  // All of one batch, or none.
  template <class Embed>
  static void answer(std::vector<Request>& requests, const Embed& embed_all) {
    std::vector<Tokens> texts;
    for (const Request& request : requests) texts.push_back(request.tokens);
    while (!std::has_single_bit(texts.size())) texts.push_back({0});  // nobody's
    const auto vectors =
        embed_all(sentences_of(texts, padded_length(texts[0].size()))).template host<float>();
    const std::size_t width = vectors.size() / texts.size();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const float* const row = vectors.data() + i * width;
      requests[i].answer.set_value(Vector(row, row + width));
    }
  }

  const Shared<Bert> weights_;
  const Compiled<Embed> step_;
  const std::size_t most_;
  Queue queue_;
  std::latch ready_;
  std::atomic<std::size_t> programs_ = 0;
  std::thread ranks_;  // the last member: it uses the others
};

Tokens random_sentence(std::minstd_rand& random, const BertConfig& config) {
  Tokens tokens(std::uniform_int_distribution<std::size_t>(3, kLengths.back())(random));
  std::uniform_int_distribution<std::int32_t> token(
      0, static_cast<std::int32_t>(config.vocabulary) - 1);
  for (std::int32_t& t : tokens) t = token(random);
  return tokens;
}

// Each client waits for an answer before it asks again.
void measure(const Model& model, const World& world, int workers, std::size_t most) {
  Server server(model, workers, most);
  std::vector<std::vector<double>> times(kClients);
  std::vector<std::pair<Tokens, Vector>> answers(kClients);  // the last of each
  const auto begin = Clock::now();
  const auto ask = [&](std::size_t client) {
    std::minstd_rand random(static_cast<unsigned>(client) + 1);
    for (int i = 0; i < kRequests; ++i) {
      const Tokens tokens = random_sentence(random, model.config);
      const auto asked = Clock::now();
      answers[client] = {tokens, server.submit(tokens).get()};
      times[client].push_back(
          std::chrono::duration<double, std::milli>(Clock::now() - asked).count());
    }
  };
  std::vector<std::future<void>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::async(std::launch::async, ask, i));
  }
  for (std::future<void>& client : clients) client.get();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();

  std::vector<double> all;
  for (const std::vector<double>& one : times) all.insert(all.end(), one.begin(), one.end());
  std::sort(all.begin(), all.end());
  std::printf("%d worker%s, batches of up to %zu: %4.0f sentences a second, ", workers,
              workers == 1 ? "" : "s", most, double(all.size()) / seconds);
  std::printf("median %.2f ms, p99 %.2f ms, %zu programs\n", all[all.size() / 2],
              all[all.size() * 99 / 100], server.programs());

  // Whom a sentence shares its batch with, and how long the others are, makes no difference.
  const Bert bert = model.weights.on(world);
  float difference = 0;
  for (const auto& [tokens, answer] : answers) {
    const auto alone =
        embed(model.config, bert, sentences_of({tokens}, tokens.size())).host<float>();
    for (std::size_t i = 0; i < answer.size(); ++i) {
      difference = std::max(difference, std::abs(answer[i] - alone[i]));
    }
  }
  if (difference > 1e-5F) throw std::runtime_error("a batch changes what its sentences give");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const World world = init();
    const Model model = make_model(argc > 1 ? argv[1] : "");
    measure(model, world, 1, 1);
    measure(model, world, 1, kLargestBatch);
    measure(model, world, 2, kLargestBatch);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
