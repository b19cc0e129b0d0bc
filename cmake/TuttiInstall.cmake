# `cmake --install` puts headers under include/tutti/, the libraries and a package file, so that
# find_package(tutti) gives tutti::tutti.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The shared libraries the installed program needs may live where the loader does not look. What is
# built has that path already: to replace it, CMake would leave a `:` at the end of another one, for
# which the loader looks in the current folder.
if(TARGET tutti_tool)
  set_target_properties(tutti_tool PROPERTIES INSTALL_RPATH_USE_LINK_PATH TRUE
                                              BUILD_WITH_INSTALL_RPATH TRUE)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)

foreach(layer IN LISTS TUTTI_LAYERS)
  # .cuh and .def: texts and tables that headers include.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tutti
          FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh" PATTERN "*.def")
endforeach()
if(EXISTS ${PROJECT_SOURCE_DIR}/lazy/tutti.h)
  install(FILES lazy/tutti.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tutti)
endif()

get_property(layer_targets GLOBAL PROPERTY TUTTI_LAYER_TARGETS)
install(TARGETS ${layer_targets} EXPORT tutti_targets)
if(TARGET tutti_tool)
  install(TARGETS tutti_tool)
endif()
install(EXPORT tutti_targets NAMESPACE tutti:: DESTINATION ${package_dir} FILE tuttiTargets.cmake)

configure_package_config_file(cmake/tuttiConfig.cmake.in ${PROJECT_BINARY_DIR}/tuttiConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tuttiConfig.cmake ${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake
              cmake/FindTuttiLLVM.cmake cmake/FindOneDNN.cmake
        DESTINATION ${package_dir})
