#include <tutti/runtime/are_truths.h>
#include <tutti/runtime/files/input_file.h>
#include <tutti/runtime/files/npy.h>
#include <tutti/runtime/files/write_file.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <fstream>
#include <optional>

namespace tutti::runtime {

namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they are");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = 1 << 16;  // a shape and a dtype need far less
constexpr std::size_t kNpyAlignment = 64;        // of the data in the file

// descr in the header, for the dtypes that NumPy has.
struct Descr {
  DType dtype;
  std::string_view text;
};
constexpr Descr kDescrs[] = {
    {DType::boolean, "|b1"}, {DType::u8, "|u1"},  {DType::u16, "<u2"}, {DType::u32, "<u4"},
    {DType::u64, "<u8"},     {DType::i8, "|i1"},  {DType::i16, "<i2"}, {DType::i32, "<i4"},
    {DType::i64, "<i8"},     {DType::f16, "<f2"}, {DType::f32, "<f4"}, {DType::f64, "<f8"},
};

// Reads the header's text: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class NpyHeader {
 public:
  NpyHeader(const std::filesystem::path& path, std::string_view text) : path_(path), rest_(text) {
    expect("{", "'{' at its start");
    while (!accept("}")) {
      field();
      if (accept(",")) continue;
      expect("}", "',' or '}' after a field");
      break;
    }
    if (!rest_.empty()) fail("the header goes on after its '}'");
    if (!dtype_ || !shape_ || !fortran_order_) {
      fail("the header needs descr, fortran_order and shape");
    }
    if (*fortran_order_) {
      fail("the array is in Fortran order; save it with numpy.ascontiguousarray");
    }
  }

  DType dtype() const { return *dtype_; }
  const Shape& shape() const { return *shape_; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ParseError(path_.string() + ": " + what);
  }

  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool accept(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    skip_blanks();
    return true;
  }
  void expect(std::string_view word, const std::string& what) {
    if (!accept(word)) fail("the header should have " + what);
  }

  void field() {
    const std::string_view key = read_text();
    expect(":", "':' after a field's name");
    if (key == "descr") {
      if (dtype_) fail("the header has two descr fields");
      dtype_ = to_dtype(read_text());
    } else if (key == "fortran_order") {
      if (fortran_order_) fail("the header has two fortran_order fields");
      fortran_order_ = accept("True");
      if (!*fortran_order_) expect("False", "True or False for fortran_order");
    } else if (key == "shape") {
      if (shape_) fail("the header has two shape fields");
      shape_ = read_shape();
    } else {
      fail("the header has an unknown field '" + std::string(key.substr(0, 40)) + "'");
    }
  }

  // 'in quotes'
  std::string_view read_text() {
    const char quote = rest_.empty() ? '\0' : rest_[0];
    const std::size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : rest_.npos;
    if (end == rest_.npos) fail("the header should have a text in quotes");
    const std::string_view out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return out;
  }

  DType to_dtype(std::string_view descr) const {
    for (const Descr& known : kDescrs) {
      // One byte has no order; '=' is this machine's, which is little endian.
      const bool any_order = size_of(known.dtype) == 1 || descr.starts_with('=');
      const bool same = any_order && descr.size() == known.text.size()
                            ? descr.substr(1) == known.text.substr(1)
                            : descr == known.text;
      if (same) return known.dtype;
    }
    const std::string shown = "'" + std::string(descr.substr(0, 40)) + "'";
    if (descr.starts_with('>')) {
      fail("the dtype " + shown + " is big endian; save it with astype('<" +
           std::string(descr.substr(1, 10)) + "')");
    }
    if (descr == "<V2" || descr == "|V2" || descr == "|V1" || descr == "<f1") {
      fail("the dtype " + shown + " has no meaning of its own (" +
           (descr.ends_with('1') ? "floats of 8 bits are" : "bfloat16 is") +
           " saved so); save it as f32");
    }
    fail("the dtype " + shown + " is none of bool, u8 to u64, i8 to i64, f16, f32 and f64");
  }

  // (3, 4) or (3,) or ()
  Shape read_shape() {
    std::vector<std::int64_t> sizes;
    expect("(", "a shape in parentheses");
    while (!accept(")")) {
      std::int64_t size = 0;
      const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (result.ec != std::errc() || sizes.size() == Shape::kMaxRank) {
        fail("the shape should be up to " + std::to_string(Shape::kMaxRank) + " integers");
      }
      rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
      sizes.push_back(size);
      if (accept(",")) continue;
      if (sizes.size() == 1) fail("the shape of one dimension should be written (n,)");
      expect(")", "',' or ')' after a size");
      break;
    }
    try {
      return Shape(sizes);
    } catch (const TypeError& error) {
      fail(error.message());
    }
  }

  const std::filesystem::path& path_;
  std::string_view rest_;
  std::optional<DType> dtype_;
  std::optional<bool> fortran_order_;
  std::optional<Shape> shape_;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

// The next bytes of the file, or a ParseError.
std::string read_bytes(std::istream& file, std::size_t count, const std::filesystem::path& path) {
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  if (static_cast<std::size_t>(file.gcount()) != count) {
    throw ParseError(path.string() + ": the file ends inside its header");
  }
  return bytes;
}

}  // namespace

ir::Array read_npy(std::istream& file, std::int64_t file_size, const std::filesystem::path& path,
                   const AcceptArray& accept) {
  if (file_size < 10 || read_bytes(file, kMagic.size(), path) != kMagic) {
    throw ParseError(path.string() + ": this is no .npy file");
  }
  const std::string version = read_bytes(file, 2, path);
  if ((version[0] != 1 && version[0] != 2) || version[1] != 0) {
    throw ParseError(path.string() + ": .npy format " +
                     std::to_string(static_cast<unsigned char>(version[0])) + "." +
                     std::to_string(static_cast<unsigned char>(version[1])) +
                     " is not supported; 1.0 and 2.0 are");
  }
  const std::size_t length_bytes = version[0] == 1 ? 2 : 4;
  const std::uint64_t length = little_endian(read_bytes(file, length_bytes, path));
  if (length > kLongestHeader) {
    throw ParseError(path.string() + ": a header of " + std::to_string(length) +
                     " bytes is too long");
  }
  const std::string text = read_bytes(file, length, path);
  const NpyHeader header(path, text);

  // Compared before the array is made: a short file cannot ask for much memory.
  const std::int64_t wanted = header.shape().elements() * size_of(header.dtype());
  const std::size_t before = kMagic.size() + version.size() + length_bytes + text.size();
  const std::int64_t given = file_size - static_cast<std::int64_t>(before);
  if (given != wanted) {
    throw ParseError(path.string() + ": " + std::string(name_of(header.dtype())) +
                     header.shape().text() + " needs " + std::to_string(wanted) +
                     " bytes of data, but the file has " + std::to_string(given));
  }
  if (accept) accept({.dtype = header.dtype(), .shape = header.shape()});
  ir::Array array(header.dtype(), header.shape());
  file.read(reinterpret_cast<char*>(array.bytes().data()), wanted);
  if (file.gcount() != wanted)
    throw EnvironmentError(path.string() + ": cannot be read to its end");
  if (array.dtype() == DType::boolean && !are_truths(array.bytes())) {
    throw ParseError(path.string() + ": a bool that is neither 0 nor 1");
  }
  return array;
}

ir::Array read_npy(const std::filesystem::path& path, const AcceptArray& accept) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw EnvironmentError(path.string() + ": no such file");
  }
  const auto file_size = static_cast<std::int64_t>(bytes_of_file(path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw EnvironmentError(path.string() + ": cannot be opened");
  return read_npy(file, file_size, path, accept);
}

void check_npy_dtype(DType dtype, const std::string& what) {
  if (std::ranges::find(kDescrs, dtype, &Descr::dtype) != std::end(kDescrs)) return;
  throw TypeError(what + " is " + std::string(name_of(dtype)) +
                  ", which .npy files cannot hold; cast it to f32");
}

std::string npy_text(const ir::Array& array) {
  const auto* const descr = std::ranges::find(kDescrs, array.dtype(), &Descr::dtype);
  std::string header =
      "{'descr': '" + std::string(descr->text) + "', 'fortran_order': False, 'shape': (";
  for (int d = 0; d < array.shape().rank(); ++d) {
    header += (d == 0 ? "" : " ") + std::to_string(array.shape()[d]);
    if (d + 1 < array.shape().rank() || d == 0) header += ",";
  }
  header += "), }";
  const std::size_t before = kMagic.size() + 4;
  while ((before + header.size() + 1) % kNpyAlignment != 0) header += ' ';
  header += '\n';
  const char preamble[] = {1, 0, static_cast<char>(header.size() & 0xFF),
                           static_cast<char>(header.size() >> 8)};

  // One that throws where there is no memory: a stream would keep that to itself.
  std::string text;
  text.reserve(before + header.size() + array.bytes().size());
  text.append(kMagic).append(preamble, sizeof(preamble)).append(header);
  text.append(reinterpret_cast<const char*>(array.bytes().data()), array.bytes().size());
  return text;
}

void write_npy(const std::filesystem::path& path, const ir::Array& array) {
  check_npy_dtype(array.dtype(), "the array for " + path.string());
  write_file(path, npy_text(array));
}

}  // namespace tutti::runtime
