#include <tutti/codegen/llvm/wide_math.h>

#include <limits>
#include <numbers>

#include <llvm/IR/Intrinsics.h>

namespace tutti::codegen::native {

using llvm::Value;

namespace {

// ln 2 as a number of few bits, whose products with exponents are exact, and the rest.
constexpr double kWideLn2High = 0.6931471803691238;
constexpr double kWideLn2Low = 1.9082149292705877e-10;
constexpr double kWideLn2Lost = 2.3190468138462996e-17;  // ln 2 - its nearest number
constexpr double kWideLog2E = 1.4426950408889634;

}  // namespace

// ---- exp and its like ----

WideMath::Reduced WideMath::reduce(Value* x) {
  Value* shift = number(x, kWideShift);
  Value* shifted = fused(x, number(x, kWideLog2E), shift);
  Value* n = ir_.CreateFSub(shifted, shift);
  Value* exact = fused(n, number(x, -kWideLn2High), x);
  Value* rest = fused(n, number(x, -kWideLn2Low), exact);
  Value* lost = fused(n, number(x, -kWideLn2Low), ir_.CreateFSub(exact, rest));
  return {ir_.CreateSub(bits(shifted), bits(shift)), rest, lost};
}

Value* WideMath::expm1_of_rest(const Reduced& reduced) {
  Value* r = reduced.rest;
  // e^r - 1 = r + r^2 q(r), relative error 2^-57.9 of e^r
  Value* q = polynomial(
      r, {2.500004818965262e-08, 2.763026288074421e-07, 2.7557586489558376e-06,
          2.480149306150579e-05, 0.0001984126950636884, 0.0013888888943662642, 0.008333333333494595,
          0.04166666666653005, 0.16666666666666413, 0.5000000000000011});
  return ir_.CreateFAdd(r, fused(ir_.CreateFMul(r, r), q, reduced.lost));
}

Value* WideMath::scale(Value* y, Value* power, Value* is_tiny) {
  // Tiny results are made without a multiplication that underflows, as in InlineMath::scale.
  Value* n = ir_.CreateSelect(is_tiny, integer(y, 0), power);
  // In two steps, so that each power is a normal number.
  Value* half = ir_.CreateAShr(n, 1);
  Value* normal = ir_.CreateFMul(y, wide_power_of_two(half));
  normal = ir_.CreateFMul(normal, wide_power_of_two(ir_.CreateSub(n, half)));
  // 2^1000 times as large it is a normal number, and what lies above 2^-22 in the sum counts steps
  // of 2^-74, as a subnormal number's bits count steps of 2^-1074.
  Value* shift = number(y, 0x1p-22);
  Value* exponent = ir_.CreateShl(ir_.CreateAdd(power, integer(y, 1000)), 52);
  Value* large = from_bits(ir_.CreateAdd(bits(y), exponent));
  Value* count = ir_.CreateSub(bits(ir_.CreateFAdd(large, shift)), bits(shift));
  return ir_.CreateSelect(is_tiny, from_bits(count), normal);
}

Value* WideMath::exp(Value* x) {
  // Beyond these the results are 0 and infinity.
  x = clamp(x, -746, 710);
  const Reduced reduced = reduce(x);
  Value* y = ir_.CreateFAdd(expm1_of_rest(reduced), number(x, 1));
  return scale(y, reduced.n, ir_.CreateFCmpOLT(x, number(x, -708.4)));
}

Value* WideMath::exp2_of_rest(Value* r, Value* lost) {
  // 2^r = 1 + r ln 2 + r^2 q(r), relative error 2^-57.8
  Value* q = polynomial(
      r, {4.436199503401528e-10, 7.073577904257979e-09, 1.0178185391072159e-07,
          1.3215436619457583e-06, 1.5252733544999505e-05, 0.00015403530454039324,
          0.001333355814668809, 0.009618129107597014, 0.05550410866482073, 0.24022650695910122});
  Value* low = fused(ir_.CreateFMul(r, r), q, ir_.CreateFMul(r, number(r, kWideLn2Lost)));
  if (lost != nullptr) low = fused(lost, number(r, std::numbers::ln2), low);
  return ir_.CreateFAdd(fused(r, number(r, std::numbers::ln2), low), number(r, 1));
}

Value* WideMath::exp2(Value* x) {
  x = clamp(x, -1076, 1025);
  Value* shift = number(x, kWideShift);
  Value* shifted = ir_.CreateFAdd(x, shift);
  Value* r = ir_.CreateFSub(x, ir_.CreateFSub(shifted, shift));  // exact
  return scale(exp2_of_rest(r, nullptr), ir_.CreateSub(bits(shifted), bits(shift)),
               ir_.CreateFCmpOLT(x, number(x, -1022)));
}

Value* WideMath::expm1(Value* x) {
  Value* argument = x;
  x = clamp(x, -40, 710);
  const Reduced reduced = reduce(x);
  Value* p = expm1_of_rest(reduced);
  // 2 * (2^(n-1) (p + 1) - 1/2), since 2^n itself may be too large.
  Value* power = wide_power_of_two(ir_.CreateSub(reduced.n, integer(x, 1)));
  Value* half = fused(power, p, ir_.CreateFSub(power, number(x, 0.5)));
  Value* y = ir_.CreateFMul(half, number(x, 2));
  // Halves of subnormal numbers are not exact, and -0 must stay what it is.
  Value* tiny = ir_.CreateFCmpOLT(magnitude(argument), number(x, 1e-17));
  return ir_.CreateSelect(tiny, argument, y);
}

Value* WideMath::tanh(Value* x) {
  // tanh(y) = (e^2y - 1) / (e^2y + 1); 1 from about 19 on.
  Value* y = magnitude(x);
  Value* most = number(x, 20);
  y = ir_.CreateSelect(ir_.CreateFCmpOGT(y, most), most, y);
  Value* t = expm1(ir_.CreateFAdd(y, y));
  return with_sign(ir_.CreateFDiv(t, ir_.CreateFAdd(t, number(x, 2))), x);
}

// ---- log and its like ----

WideMath::LogPieces WideMath::log_pieces(Value* f) {
  // With s = f / (2 + f): log(1 + f) = 2 s + s R(s^2), relative error 2^-62.7; f - f^2/2 instead of
  // 2 s keeps what f has exactly.
  Value* s = ir_.CreateFDiv(f, ir_.CreateFAdd(f, number(f, 2)));
  Value* z = ir_.CreateFMul(s, s);
  Value* r = polynomial(
      z, {0.1383856886374613, 0.13174261548182423, 0.1539107244682284, 0.18181667087943343,
          0.22222224276211552, 0.28571428556007106, 0.4000000000005594, 0.666666666666666});
  r = ir_.CreateFMul(z, r);
  Value* square = ir_.CreateFMul(ir_.CreateFMul(f, f), number(f, 0.5));
  return {.square = square, .s = s, .factor = ir_.CreateFAdd(square, r)};
}

Value* WideMath::log_of(Value* f, Value* exponent) {
  const auto [square, s, factor] = log_pieces(f);
  Value* e = wide_exponent(exponent);
  Value* low = fused(s, factor, ir_.CreateFMul(e, number(f, kWideLn2Low)));
  Value* sum = ir_.CreateFSub(f, ir_.CreateFSub(square, low));
  return fused(e, number(f, kWideLn2High), sum);
}

WideMath::Split WideMath::split(Value* x, std::uint64_t least) {
  Value* subnormal = ir_.CreateFCmpOLT(x, number(x, 0x1p-1022));
  Value* normal = ir_.CreateSelect(subnormal, ir_.CreateFMul(x, number(x, 0x1p54)), x);
  Value* exponent = wide_exponent_bits(bits(normal), least);
  Value* m = from_bits(ir_.CreateSub(bits(normal), exponent));
  Value* scaled = ir_.CreateSub(exponent, integer(x, std::uint64_t{54} << 52));
  exponent = ir_.CreateSelect(subnormal, scaled, exponent);
  return {.fraction = ir_.CreateFSub(m, number(x, 1)), .exponent = exponent};
}

Value* WideMath::log(Value* x) {
  const auto [f, exponent] = split(x);
  return log_special(x, log_of(f, exponent));
}

Value* WideMath::log2(Value* x) {
  // log2(e) as a number of 32 bits and the rest.
  constexpr double kHigh = 1.4426950407214463;
  constexpr double kLow = 1.6751713164886512e-10;
  const auto [f, exponent] = split(x);
  const auto [square, s, factor] = log_pieces(f);
  // log(1 + f) as a number of 21 bits, whose product with the other is exact, and the rest, as in
  // FreeBSD's log2.
  Value* high =
      from_bits(ir_.CreateAnd(bits(ir_.CreateFSub(f, square)), integer(x, 0xFFFFFFFF00000000)));
  Value* low = fused(s, factor, ir_.CreateFSub(ir_.CreateFSub(f, high), square));
  Value* product = ir_.CreateFMul(high, number(x, kHigh));
  Value* rest =
      fused(low, number(x, kHigh), ir_.CreateFMul(ir_.CreateFAdd(low, high), number(x, kLow)));
  // What the sum loses goes to the rest; the exponent is 0, or it is the larger one.
  Value* e = wide_exponent(exponent);
  Value* sum = ir_.CreateFAdd(e, product);
  Value* lost = ir_.CreateFAdd(ir_.CreateFSub(e, sum), product);
  return log_special(x, ir_.CreateFAdd(sum, ir_.CreateFAdd(rest, lost)));
}

Value* WideMath::log1p(Value* x) {
  // 1 + x = m * 2^e decides e; then x is scaled by 2^-e on its own and 2^-e - 1 is added, so that
  // what 1 + x rounds away is kept.
  Value* sum = ir_.CreateFAdd(x, number(x, 1));
  Value* exponent = wide_exponent_bits(bits(sum));
  Value* scaled = from_bits(ir_.CreateSub(bits(x), exponent));
  // 2^(2-e) in place of 2^-e, which may be subnormal.
  Value* power = from_bits(ir_.CreateSub(bits(number(x, 4)), exponent));
  Value* f = ir_.CreateFAdd(scaled, fused(power, number(x, 0.25), number(x, -1)));
  return log_special(sum, with_sign(log_of(f, exponent), x));
}

// ---- erf ----

Value* WideMath::erf(Value* x) {
  Value* t = magnitude(x);
  Value* is_small = ir_.CreateFCmpOLT(t, number(x, 1));
  // erf(x) = x + x p(x^2), relative error 2^-56
  Value* z = ir_.CreateFMul(x, x);
  Value* p = polynomial(z, {-7.539588725764815e-10, 1.3581031204299198e-08, -1.617595591402936e-07,
                            1.6443130038540164e-06, -1.492438537923228e-05, 0.00012055276455897315,
                            -0.0008548325354995468, 0.005223977594148499, -0.02686617064166301,
                            0.11283791670935268, -0.3761263890318331, 0.12837916709551256});
  Value* near = fused(x, p, x);
  // erf(t) = 1 - e^(t q(t)), relative error 2^-57; 1 from about 5.92 on.
  t = ir_.CreateSelect(ir_.CreateFCmpOGT(t, number(x, 6)), number(x, 6), t);
  Value* q = polynomial(t, {1.1710051264901882e-12, -5.40824238899511e-11, 1.164276620472833e-09,
                            -1.5517360990120266e-08, 1.4324248549354653e-07, -9.685295107120195e-07,
                            4.924992247825719e-06, -1.88549951102688e-05, 5.222521618560928e-05,
                            -8.782554179065773e-05, -1.1159783064417955e-05, 0.000589728114287959,
                            -0.0017071024466505927, 0.00022260972976129823, 0.01911931474327762,
                            -0.10276874267905259, -0.636620726812188, -1.128379060778131});
  const Reduced reduced = reduce(ir_.CreateFMul(t, q));
  Value* y = ir_.CreateFAdd(expm1_of_rest(reduced), number(x, 1));
  Value* far = ir_.CreateFSub(number(x, 1), ir_.CreateFMul(y, wide_power_of_two(reduced.n)));
  return with_sign(ir_.CreateSelect(is_small, near, far), x);
}

// ---- mod ----

WideMath::Remainder WideMath::mod(Value* x, Value* y) {
  // Up to this many times y, the rounded quotient's whole part is that of the quotient, or one more
  // where rounding has reached it. Either way what is left is a number, which the fused operation
  // gives exactly.
  constexpr double kMostQuotient = 0x1p53;
  Value* a = magnitude(x);
  Value* b = magnitude(y);
  Value* quotient = ir_.CreateFDiv(a, b);
  Value* whole = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, quotient);
  Value* rest = fused(ir_.CreateFNeg(whole), b, a);
  Value* one_more = ir_.CreateFCmpOLT(rest, number(x, 0));
  rest = ir_.CreateSelect(one_more, ir_.CreateFAdd(rest, b), rest);
  // Of an infinite y: a finite x itself.
  Value* infinity = number(x, std::numeric_limits<double>::infinity());
  Value* small = ir_.CreateAnd(ir_.CreateFCmpOEQ(b, infinity), ir_.CreateFCmpOLT(a, infinity));
  return {.value = ir_.CreateSelect(small, x, with_sign(rest, x)),
          .beyond = ir_.CreateFCmpOGE(quotient, number(x, kMostQuotient))};
}

}  // namespace tutti::codegen::native
