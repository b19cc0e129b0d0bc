// Views of results of collectives that may still be under way.

#include <tutti/lazy/async_views.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/ops.h>

namespace tutti {

namespace detail {

AsyncTensor AsyncViews::view(const AsyncTensor& x, std::function<Tensor(const Tensor&)> f,
                             Location at) {
  AsyncTensor out = x.then(std::move(f), at);
  out.deferred_->is_view = true;
  return out;
}

namespace {

// Nobody else's: what computes one of the originals changes them.
std::shared_ptr<Deferred> copy_of(const std::shared_ptr<Deferred>& views) {
  const std::size_t depth = RankContext::current().depth();
  std::shared_ptr<Deferred> out;
  std::shared_ptr<Deferred>* place = &out;
  for (const Deferred* each = views.get(); each != nullptr; each = each->before.get()) {
    *place = std::make_shared<Deferred>(*each);
    (*place)->depth = depth;
    place = &(*place)->before;
  }
  return out;
}

}  // namespace

std::shared_ptr<Deferred> AsyncViews::of(const AsyncTensor& x) {
  for (const Deferred* each = x.deferred_.get(); each != nullptr; each = each->before.get()) {
    if (!each->is_view || each->computed != nullptr) return nullptr;
  }
  return copy_of(x.deferred_);
}

AsyncTensor AsyncViews::again(StatePtr collective, const std::shared_ptr<Deferred>& views) {
  AsyncTensor out(std::move(collective));
  out.deferred_ = copy_of(views);
  return out;
}

}  // namespace detail

using detail::AsyncViews;

AsyncTensor reshape(const AsyncTensor& x, Integers shape, std::source_location at) {
  return AsyncViews::view(x, [=](const Tensor& t) { return reshape(Operand(t, at), shape); }, at);
}

AsyncTensor transpose(const AsyncTensor& x, Integers permutation, std::source_location at) {
  return AsyncViews::view(
      x, [=](const Tensor& t) { return transpose(Operand(t, at), permutation); }, at);
}

AsyncTensor broadcast_to(const AsyncTensor& x, Integers shape, std::source_location at) {
  return AsyncViews::view(
      x, [=](const Tensor& t) { return broadcast_to(Operand(t, at), shape); }, at);
}

AsyncTensor expand_dims(const AsyncTensor& x, Integers axes, std::source_location at) {
  return AsyncViews::view(
      x, [=](const Tensor& t) { return expand_dims(Operand(t, at), axes); }, at);
}

AsyncTensor squeeze(const AsyncTensor& x, Axes axes, std::source_location at) {
  return AsyncViews::view(x, [=](const Tensor& t) { return squeeze(Operand(t, at), axes); }, at);
}

AsyncTensor slice(const AsyncTensor& x, std::vector<Range> ranges, std::source_location at) {
  return AsyncViews::view(x, [=](const Tensor& t) { return slice(Operand(t, at), ranges); }, at);
}

AsyncTensor reverse(const AsyncTensor& x, Integers axes, std::source_location at) {
  return AsyncViews::view(x, [=](const Tensor& t) { return reverse(Operand(t, at), axes); }, at);
}

}  // namespace tutti
