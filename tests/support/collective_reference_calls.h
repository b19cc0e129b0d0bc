#pragma once

#include <tutti/tutti.h>

#include "tests/support/collective_reference_data.h"

// What a rank calls in a case of CollectiveReference.
namespace tutti::test {

Group group_of(const CollectiveReference& use, const World& world);
// Its own collective, as `rank`; messages stand for none.
Tensor call_reference(const CollectiveReference& use, const Group& group, const Tensor& x,
                      int rank);

}  // namespace tutti::test
