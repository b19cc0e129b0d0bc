// TypeError: dot_general: an axis of the first operand is named twice; the operands are f32\[2,3\] and f32\[3,2\]
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const DotDimensions dimensions = {
      .contract_x = {1, -1}, .contract_y = {0, 1}, .batch_x = {}, .batch_y = {}};
  dot_general(zeros({2, 3}), zeros({3, 2}), dimensions);  // here
}
