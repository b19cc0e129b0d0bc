// Heat spreads over a plate that four ranks share: in each step they exchange the rows at their
// edges, inside of one compiled loop. Writes the last plate as a picture.
//
//   heat [FILE]   (else heat.png)

#include <tutti/tutti.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace tutti;

namespace {

constexpr std::int64_t kSize = 128;  // of the plate, in points
constexpr std::int64_t kSteps = 300;
constexpr float kSpread = 0.2F;

// One step of du/dt = laplacian(u) on this rank's rows; the frame around the plate is cold.
Tensor step(const Tensor& u, const Group& group) {
  const std::int64_t rows = u.shape()[0];
  Pairs down;
  Pairs up;
  for (std::int64_t rank = 0; rank + 1 < group.size(); ++rank) {
    down.emplace_back(rank, rank + 1);
    up.emplace_back(rank + 1, rank);
  }
  // Where nobody sends, zeros come.
  const AsyncTensor above = collective_permute(slice(u, {{rows - 1, rows}}), group, down);
  const AsyncTensor below = collective_permute(slice(u, {{0, 1}}), group, up);
  const Tensor framed = pad(concat({above, u, below}, 0), {0, 1}, {0, 1}, 0.F);
  const auto moved = [&](std::int64_t row, std::int64_t column) {
    return slice(framed, {{row, row + rows}, {column, column + kSize}});
  };
  return u + kSpread * (moved(0, 1) + moved(2, 1) + moved(1, 0) + moved(1, 2) - 4.F * u);
}

// This rank's rows of a plate with a hot disc and a hot bar.
Tensor start(const World& world) {
  const std::int64_t rows = kSize / world.size();
  const Tensor y = iota({rows, kSize}, 0, DType::f32) + cast(rank_index(world) * rows, DType::f32);
  const Tensor x = iota({rows, kSize}, 1, DType::f32);
  const Tensor disc = (x - 40.F) * (x - 40.F) + (y - 40.F) * (y - 40.F) < 400.F;
  const Tensor bar = (x > 90.F) & (x < 100.F) & (y > 50.F) & (y < 110.F);
  return cast(disc | bar, DType::f32);
}

// ---- A picture: PNG without compression (RFC 2083, RFC 1950 and 1951).

std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t out = ~0U;
  for (const char byte : bytes) {
    out ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) out = out >> 1 ^ ((out & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~out;
}

std::string big_endian(std::uint32_t number) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xffU);
  return out;
}

std::string chunk(const std::string& name, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + name + data +
         big_endian(checksum(name + data));
}

// Values of 0 to 1, from black by way of red and yellow to white.
void write_picture(const std::string& path, const std::vector<float>& values, std::int64_t width) {
  const auto height = static_cast<std::uint32_t>(std::ssize(values) / width);
  std::string stored = "\x78\x01";
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (std::uint32_t row = 0; row < height; ++row) {
    std::string line(1, '\0');  // no filter
    for (std::int64_t i = 0; i < width; ++i) {
      const float value = values[static_cast<std::size_t>(row * width + i)];
      for (const float from : {0.F, 1.F, 2.F}) {
        const float part = std::clamp(3.F * value - from, 0.F, 1.F);
        line += static_cast<char>(static_cast<int>(255.F * part));
      }
    }
    const int size = static_cast<int>(line.size());
    stored += row + 1 == height ? '\1' : '\0';  // a block a row, stored as it is
    for (const int word : {size, 0xffff - size}) {
      stored += static_cast<char>(word & 0xff);
      stored += static_cast<char>(word >> 8);
    }
    stored += line;
    for (const char byte : line) {
      a = (a + static_cast<unsigned char>(byte)) % 65521;
      b = (b + a) % 65521;
    }
  }
  stored += big_endian(b << 16 | a);
  const std::string header = big_endian(static_cast<std::uint32_t>(width)) + big_endian(height) +
                             std::string("\x08\x02\0\0\0", 5);  // 8 bits each of red, green, blue
  std::ofstream file(path, std::ios::binary);
  file << "\x89PNG\r\n\x1a\n"
       << chunk("IHDR", header) << chunk("IDAT", stored) << chunk("IEND", "");
  if (!file.flush()) throw std::runtime_error(path + " can't be written");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "heat.png";
  simulate(4, [&](World& world) {
    auto run = compile([&](const Tensor& u) {
      return for_loop(
          kSteps, [&](const Tensor&, const Tensor& now) { return step(now, world); }, u);
    });
    const Tensor before = start(world);
    const Tensor after = run(before);
    const Tensor heat = all_reduce(sum(before), world);
    const Tensor left = all_reduce(sum(after), world);
    const Tensor plate = gather(after, world);
    if (world.rank() != 0) return;
    std::printf("heat %.1f before, %.1f after %lld steps\n", heat.item<float>(), left.item<float>(),
                static_cast<long long>(kSteps));
    write_picture(path, plate.to_vector<float>(), kSize);
    std::printf("written to %s\n", path.c_str());
  });
}
