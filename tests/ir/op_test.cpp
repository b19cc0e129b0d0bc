#include <tutti/ir/builder.h>
#include <tutti/ir/op.h>

#include <gmock/gmock.h>

namespace tutti::ir::op_test {
namespace {

TEST(Op, NamesGoBothWays) {
  EXPECT_EQ(definitions().size(), static_cast<std::size_t>(kOpCount));
  for (const Definition& entry : definitions()) {
    EXPECT_EQ(op_from_name(entry.name), entry.op);
    EXPECT_EQ(name_of(entry.op), entry.name);
    EXPECT_EQ(definition(entry.op).op, entry.op);
  }
  EXPECT_EQ(op_from_name("matmull"), std::nullopt);
}

TEST(Op, EachHasOneMeaning) {
  for (const Definition& entry : definitions()) {
    const int meanings = entry.meaning.has_value() + (entry.interpret != nullptr) +
                         (entry.interpret_collective != nullptr) + (entry.decompose != nullptr);
    EXPECT_EQ(meanings, 1) << entry.name;
    EXPECT_EQ(entry.kind == OpClass::elementwise, entry.meaning.has_value()) << entry.name;
    EXPECT_EQ(entry.kind == OpClass::composite, entry.decompose != nullptr) << entry.name;
    EXPECT_EQ(entry.kind == OpClass::collective, entry.interpret_collective != nullptr)
        << entry.name;
    EXPECT_NE(entry.infer, nullptr) << entry.name;
  }
}

// The text and complete_attributes() rely on it.
TEST(Op, AttributesWithoutDefaultsComeFirst) {
  for (const Definition& entry : definitions()) {
    bool standard = false;
    for (const AttributeSpec& spec : entry.attributes) {
      if (spec.kind == AttributeKind::group) continue;  // the last one of every collective
      EXPECT_FALSE(standard && !spec.standard) << entry.name << ": " << spec.name;
      standard = standard || spec.standard.has_value();
      if (spec.standard) {
        EXPECT_EQ(spec.standard->index(), static_cast<std::size_t>(spec.kind));
      }
    }
  }
}

TEST(Op, TypeErrorsShowOpAndOperands) {
  const Type a{.shape = {3}};
  const Type b{.dtype = DType::f16, .shape = {3}};
  EXPECT_THAT([&] { infer_types(Op::add, std::vector{a, b}, {}, nullptr); },
              testing::ThrowsMessage<TypeError>(
                  "add: mixed dtypes f32 and f16; cast one of them; the operands are f32[3] and "
                  "f16[3]"));
}

}  // namespace
}  // namespace tutti::ir::op_test
