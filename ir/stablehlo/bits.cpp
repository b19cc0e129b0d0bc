#include <tutti/ir/stablehlo/bits.h>

#include <cstring>

namespace tutti::ir::stablehlo {

DType unsigned_of(DType dtype) {
  switch (size_of(dtype)) {
    case 1:
      return DType::u8;
    case 2:
      return DType::u16;
    case 4:
      return DType::u32;
    default:
      return DType::u64;
  }
}

DType signed_of(DType dtype) {
  switch (size_of(dtype)) {
    case 1:
      return DType::i8;
    case 2:
      return DType::i16;
    case 4:
      return DType::i32;
    default:
      return DType::i64;
  }
}

Term bitcast(Term x, DType dtype) { return x.dtype() == dtype ? x : x.apply(Op::bitcast, {dtype}); }

Term bits_of(Term like, DType dtype, std::uint64_t bits) {
  Array array(dtype, {});
  std::memcpy(array.bytes().data(), &bits, static_cast<std::size_t>(size_of(dtype)));
  return {like.builder(), like.builder()->constant(std::move(array))};
}

Term ordered_bits(Term x) {
  const DType dtype = signed_of(x.dtype());
  const Term bits = bitcast(x, dtype);
  const std::uint64_t most = ~std::uint64_t{0} >> (65 - 8 * size_of(dtype));
  return select(bits < 0, apply(Op::bitwise_xor, bits, bits_of(x, dtype, most)), bits);
}

}  // namespace tutti::ir::stablehlo
