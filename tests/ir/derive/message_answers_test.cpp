#include <tutti/ir/collective.h>
#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/parse/parse.h>

#include <gmock/gmock.h>

namespace tutti::ir {
namespace {

using testing::ElementsAre;

// The messages of a function of x whose result is differentiated, answers included, in their order.
std::vector<std::string> messages_with_answers(const std::string& lines) {
  Graph graph =
      parse("group @g = {ranks = [0, 1]}\nfunc @f(%x: f32[]) {\n" + lines + "}").functions[0];
  std::vector<NodeId> nodes;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (is_point_to_point(graph.node(id).op)) nodes.push_back(id);
  }
  Builder builder(graph);
  gradient(builder, graph.results()[0], std::vector{graph.parameters()[0].value},
           {.nodes = nodes, .gradients_around = 0});
  std::vector<std::string> out;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (!is_point_to_point(graph.node(id).op)) continue;
    const bool answer = graph.attributes(id).integer("gradients") == 0;
    out.push_back(std::string(name_of(graph.node(id).op)) + (answer ? " back" : ""));
  }
  return out;
}

const std::string kReceive =
    "%0 = recv() {dtype = f32, shape = [], from = 1, group = @g, gradients = 1}\n"
    "%1 = wait(%0)\n";
const std::string kSend = "send(%x) {to = 1, group = @g, gradients = 1}\n";
const std::string kUse = "%2 = mul(%1, %x)\n";

TEST(MessageAnswers, DoNotWaitForWhatWasSentBeforeTheValueWasUsed) {
  EXPECT_THAT(messages_with_answers(kReceive + kSend + kUse + "return %2\n"),
              ElementsAre("recv", "send", "send back", "recv back"));
  EXPECT_THAT(messages_with_answers(kReceive + kUse + kSend + "return %2\n"),
              ElementsAre("recv", "send", "recv back", "send back"));
}

TEST(MessageAnswers, OfWhatNothingUsesAreThereToo) {
  EXPECT_THAT(messages_with_answers("%r = exp(%x)\n" + kReceive + kSend + "return %r\n"),
              ElementsAre("recv", "send", "recv back", "send back"));
}

TEST(MessageAnswers, OfAPairGoInTheOppositeOrder) {
  const std::string second =
      "%3 = recv() {dtype = f32, shape = [2], from = 1, group = @g, gradients = 1}\n"
      "%4 = wait(%3)\n";
  // The first one is used last, and its answer is the last all the same.
  const std::string uses = "%5 = sum(%4) {axes = [0]}\n%6 = mul(%5, %x)\n%7 = mul(%6, %1)\n";
  Graph graph = parse("group @g = {ranks = [0, 1]}\nfunc @f(%x: f32[]) {\n" + kReceive + second +
                      uses + "return %7\n}")
                    .functions[0];
  const std::vector<NodeId> nodes = {graph.producer(graph.parameters()[0].value) + 1,
                                     graph.producer(graph.parameters()[0].value) + 3};
  MessageAnswers answers(graph, nodes);
  std::vector<NodeId> order;
  for (auto id = static_cast<NodeId>(graph.node_count()); id-- > 0;) {
    for (const auto& answer : answers.after(id)) order.push_back(answer.node);
  }
  EXPECT_THAT(order, ElementsAre(nodes[1], nodes[0]));
}

}  // namespace
}  // namespace tutti::ir
