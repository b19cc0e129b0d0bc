# oneDNN, as target DNNL::dnnl. Its own package file demands OpenCL's headers, for GPU kernels that
# we do not use; so look for the header and the library themselves.

find_path(OneDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(OneDNN_LIBRARY dnnl)
mark_as_advanced(OneDNN_INCLUDE_DIR OneDNN_LIBRARY)

if(OneDNN_INCLUDE_DIR)
  file(STRINGS ${OneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h OneDNN_version_lines
       REGEX "#define DNNL_VERSION_(MAJOR|MINOR|PATCH)")
  string(REGEX MATCHALL "[0-9]+" OneDNN_VERSION "${OneDNN_version_lines}")
  list(JOIN OneDNN_VERSION "." OneDNN_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDNN
  REQUIRED_VARS OneDNN_LIBRARY OneDNN_INCLUDE_DIR VERSION_VAR OneDNN_VERSION)

if(OneDNN_FOUND AND NOT TARGET DNNL::dnnl)
  add_library(DNNL::dnnl UNKNOWN IMPORTED)
  set_target_properties(DNNL::dnnl PROPERTIES
    IMPORTED_LOCATION ${OneDNN_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${OneDNN_INCLUDE_DIR})
endif()
