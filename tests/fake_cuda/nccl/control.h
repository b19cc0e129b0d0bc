#pragma once

// What the double of NCCL has beside the library's functions, for tests.
#pragma GCC visibility push(default)
extern "C" {

// What was done that must not be done, a line each; empty: nothing, since the last call of this. A
// text is good until then.
const char* fake_nccl_complaints();

// Makes the `nth` call from now (1 is the next) of a function, "ncclAllReduce", give that result
// (ncclResult_t) and do nothing; but for a communicator, which is made all the same.
void fake_nccl_fail(const char* function, int nth, int result);

// Ends the process at that call, with exit code 7.
void fake_nccl_die(const char* function, int nth);

// From now on whoever looks at a communicator of which a rank's process has died hears of a remote
// error, as by the library's connections.
void fake_nccl_notice_deaths();

// The `nth` launch from now (1 is the next) is in progress for so long before it is on its stream:
// what is called on its communicator meanwhile is a mistake.
void fake_nccl_delay(int nth, int milliseconds);
// The `nth` launch from now says what it has to say and never comes to its end on this rank, but by
// an abort.
void fake_nccl_hang(int nth);

// The `nth` time from now that memory is registered (1 is the next) begins well, and fails with
// that result: `late`, when all others have theirs; else before this rank has told them, who wait
// for it until they are aborted. A communicator for which it fails, here or by fake_nccl_fail(), is
// of use to nobody then.
void fake_nccl_fail_window(int nth, int result, bool late);

// From now on memory is registered here with success, but without a window coming of it, as where
// ranks share a GPU. The communicator refuses all but a look and an abort then.
void fake_nccl_give_no_windows();

// How many communicators were neither aborted nor destroyed.
int fake_nccl_communicators();
// How many windows are open.
int fake_nccl_windows();
// How many collectives had all their places in windows, of those that are over.
int fake_nccl_in_windows();

// What has been put on streams and is not over.
int fake_nccl_under_way();

}  // extern "C"
#pragma GCC visibility pop
