#pragma once

#include <tutti/ir/support/location.h>

#include <stdexcept>
#include <string>

namespace tutti {

// Every exception that Tutti throws derives from Error. A message says what was wrong, where in the
// user's program, and what would be right. The subclass says whose fault it is.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what, Location where = {});
  // Another error's, of the same line, with a text in front.
  Error(const std::string& front, const Error& error);
  // The line of the user's program that the error speaks of; unknown() if there is none.
  const Location& where() const { return where_; }
  // what() without that line.
  std::string message() const;

 private:
  Location where_;
};

// The user called an op with operands, attributes or arguments it does not take.
class TypeError : public Error {
  using Error::Error;
};

// The user used the library in a state or order that has no meaning (reading while tracing, ...).
class UsageError : public Error {
  using Error::Error;
};

// A text (IR, options, a data file) is malformed; the message holds file:line:column where known.
class ParseError : public Error {
  using Error::Error;
};

// A graph or plan breaks a rule of the IR.
class VerifyError : public Error {
  using Error::Error;
};

// The machine lacks something: a file, memory, a library, a device.
class EnvironmentError : public Error {
  using Error::Error;
};

// There is no memory for what was to be computed, on the host or on a GPU. Nothing was lost: with
// less in use the program can go on; but not with a group in whose collective it was thrown.
class OutOfMemoryError : public EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

// Ranks disagreed, a peer left, or a time-out passed.
class CommError : public Error {
  using Error::Error;
};

// A value is not what the program said it must be: check_finite, TUTTI_SET=nan=error.
class NumericError : public Error {
  using Error::Error;
};

// A bug in Tutti.
class InternalError : public Error {
  using Error::Error;
};

}  // namespace tutti
