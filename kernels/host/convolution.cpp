#include <tutti/kernels/host/convolution.h>
#include <tutti/kernels/host/convolution_by_copies.h>
#include <tutti/kernels/host/convolution_by_outputs.h>
#include <tutti/kernels/host/convolution_direct.h>
#include <tutti/kernels/host/convolution_shape.h>
#include <tutti/kernels/host/convolution_wide_by_outputs.h>
#include <tutti/kernels/host/convolution_wide_window.h>

#include <type_traits>
#include <utility>
#include <variant>

namespace tutti::kernels {

namespace {

using Way = std::variant<ConvolutionByOutputs, DirectConvolution, WideWindowByOutputs,
                         WideWindowConvolution, CopiedConvolution>;

Way way_of(const ConvolutionShape& shape) {
  if (shape.by_outputs) return ConvolutionByOutputs(shape);
  if (shape.work() > kSmallConvolution) {
    if (auto direct = DirectConvolution::find(shape)) return *std::move(direct);
    if (auto wide = WideWindowByOutputs::find(shape)) return *std::move(wide);
    if (auto wide = WideWindowConvolution::find(shape)) return *std::move(wide);
  }
  return Way(std::in_place_type<CopiedConvolution>, shape);
}

}  // namespace

struct PreparedConvolution::Plan {
  explicit Plan(const Convolution& spec) : shape(spec), way(way_of(shape)) {}

  // Nothing but where results are sums of several parts.
  const ConvolutionInParts* in_parts() const {
    return std::visit(
        [](const auto& own) -> const ConvolutionInParts* {
          if constexpr (std::is_base_of_v<ConvolutionInParts, std::decay_t<decltype(own)>>) {
            if (own.parts() > 1) return &own;
          }
          return nullptr;
        },
        way);
  }
  // Of the results, or of all parts.
  std::int64_t tiles() const {
    return std::visit([](const auto& own) { return own.tiles(); }, way);
  }
  void run(const void* x, const void* weight, void* to, std::int64_t begin, std::int64_t end,
           const AfterTile& after) const {
    const auto run_as = [&]<class T>(T) {
      std::visit(
          [&](const auto& own) {
            own.run(static_cast<const T*>(x), static_cast<const T*>(weight), static_cast<T*>(to),
                    begin, end, after);
          },
          way);
    };
    shape.dtype == DType::f32 ? run_as(float()) : run_as(double());
  }

  ConvolutionShape shape;
  Way way;
};

PreparedConvolution::PreparedConvolution(const Convolution& spec)
    : plan_(std::make_shared<const Plan>(spec)) {}

std::int64_t tiles(const PreparedConvolution& convolution) {
  const ConvolutionInParts* const parts = convolution.plan_->in_parts();
  return parts != nullptr ? parts->sum_tiles() : convolution.plan_->tiles();
}

ResultDivision division(const PreparedConvolution& convolution) {
  const ConvolutionShape& shape = convolution.plan_->shape;
  return std::visit(
      [&](const auto& own) -> ResultDivision {
        if constexpr (requires { own.division(); }) {
          return own.division();
        } else {
          return {.rows = shape.images * shape.groups * shape.outputs,
                  .columns = shape.results,
                  .tile_columns = own.tile_columns()};
        }
      },
      convolution.plan_->way);
}

void run(const PreparedConvolution& convolution, const void* x, const void* weight,
         const void* parts, void* result, std::int64_t begin, std::int64_t end,
         const AfterTile& after) {
  const ConvolutionInParts* const in_parts = convolution.plan_->in_parts();
  if (in_parts == nullptr) return convolution.plan_->run(x, weight, result, begin, end, after);
  const auto run_as = [&]<class T>(T) {
    in_parts->add_parts(static_cast<const T*>(parts), static_cast<T*>(result), begin, end, after);
  };
  convolution.plan_->shape.dtype == DType::f32 ? run_as(float()) : run_as(double());
}

std::int64_t parts_bytes(const PreparedConvolution& convolution) {
  const ConvolutionInParts* const parts = convolution.plan_->in_parts();
  if (parts == nullptr) return 0;
  return parts->parts() * parts->part_elements() * size_of(convolution.plan_->shape.dtype);
}

std::int64_t tiles(const ConvolutionParts& parts) { return parts.convolution.plan_->tiles(); }

void run(const ConvolutionParts& parts, const void* x, const void* weight, void* to,
         std::int64_t begin, std::int64_t end) {
  parts.convolution.plan_->run(x, weight, to, begin, end, {});
}

}  // namespace tutti::kernels
