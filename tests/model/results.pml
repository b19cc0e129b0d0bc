// The places of results that all members have in common (rule 6 of kernels/host/collectives.h): each
// lies once, with one member, where a compiled program has planned it, and nobody counts who holds
// it. A call is one record here, and its chunks are one write, which takes two steps.
//
// Every rank makes CALLS calls; the results of two, one after the other, lie at one place. A rank may
// complete a call late, and read its result as long as it likes: only what check_plan.h demands is
// kept, that the call is completed, and its reading over, before another whose result lies there is
// announced.
//
// In its first STRANGE calls, rank 0 runs another program and knows nothing of places: it announces
// and completes as it likes. In these calls records differ, and each rank computes its own result.
// So it is where ranks make other calls of one program: rank 0 is SHIFT calls ahead of the others,
// and what is its call s of the program is call s + SHIFT of theirs.
//
// Checked: who reads a result finds that call's, all of it; no deadlock.

#ifndef RANKS
#define RANKS 2
#endif
#ifndef CALLS
#define CALLS 4
#endif
#ifndef PLACES
#define PLACES 2
#endif
#ifndef STRANGE
#define STRANGE 0
#endif

#ifndef SHIFT
#define SHIFT 0
#endif

// Where this rank's program has the result of a call, and where it lies if places count.
#define PLACE_OF(call) (((call) - 1) / 2 % PLACES)
#define PLACE(s) (me == 0 -> PLACE_OF(s) : PLACE_OF((s) + SHIFT))
#define MAIN_PLACE(s) PLACE_OF(s)
#define TORN 255

byte version[PLACES];  // ghost: the call whose result lies there; TORN while it is written
bool claimed[CALLS + 1], done[CALLS + 1];
byte epoch[RANKS];  // the last call that is announced
byte gone;          // how many ranks have left the group

#if RANKS == 2
#define ARRIVED(s) (epoch[0] >= (s) && epoch[1] >= (s))
#else
#define ARRIVED(s) (epoch[0] >= (s) && epoch[1] >= (s) && epoch[2] >= (s))
#endif

#ifdef WRITTEN_BEFORE_ALL_HAVE_COME
#define MAY_WRITE(s) (epoch[me] >= (s))
#else
#define MAY_WRITE(s) ARRIVED(s)
#endif

#ifdef READ_BEYOND_THE_NEXT_CALL
#define MAY_ANNOUNCE(s) true
#else
#define MAY_ANNOUNCE(s) (reading[PLACE(s)] == 0 && (pending[PLACE(s)] == 0))
#endif

#define IS_STRANGER(s) (me == 0 && (s) <= STRANGE)
#ifdef STRANGERS_COPY
#define LIES_THERE(s) true
#else
#ifdef SHIFTED_CALLS_COUNT
#define LIES_THERE(s) ((s) > STRANGE)
#else
#define LIES_THERE(s) ((s) > STRANGE && SHIFT == 0)
#endif
#endif

proctype Rank(byte me) {
  byte started, finished, i;
  byte reading[PLACES];  // the call whose result is read there; 0: none
  byte pending[PLACES];  // the call that is announced, but not complete, and lies there

  do
  :: finished == CALLS && reading[0] == 0 && reading[PLACES - 1] == 0 -> break
  // Announces the next one.
  :: d_step {
       started < CALLS && (IS_STRANGER(started + 1) || MAY_ANNOUNCE(started + 1)) ->
         started++;
         if
         :: !IS_STRANGER(started) -> pending[PLACE(started)] = started
         :: else
         fi
     }
     epoch[me] = started
  // Writes, where nobody has claimed that.
  :: d_step {
       finished < started && LIES_THERE(finished + 1) && MAY_WRITE(finished + 1) &&
           !claimed[finished + 1] ->
         claimed[finished + 1] = true;
         version[MAIN_PLACE(finished + 1)] = TORN
     }
     version[MAIN_PLACE(finished + 1)] = finished + 1;
     done[finished + 1] = true
  // Completes.
  :: d_step {
       finished < started && ARRIVED(finished + 1) &&
           (done[finished + 1] || !LIES_THERE(finished + 1)) ->
         finished++;
         if
         :: pending[PLACE(finished)] == finished -> pending[PLACE(finished)] = 0
         :: else
         fi;
         if
         :: !LIES_THERE(finished)
         :: LIES_THERE(finished) && !IS_STRANGER(finished) -> reading[PLACE(finished)] = finished
         // A copy.
         :: LIES_THERE(finished) && IS_STRANGER(finished) ->
            assert(version[MAIN_PLACE(finished)] == finished)
         fi
     }
  // Reads, and is done with it.
  :: d_step {
       reading[0] != 0 -> assert(version[MAIN_PLACE(reading[0])] == reading[0]); reading[0] = 0
     }
  :: d_step {
       PLACES > 1 && reading[PLACES - 1] != 0 ->
         assert(version[MAIN_PLACE(reading[PLACES - 1])] == reading[PLACES - 1]);
         reading[PLACES - 1] = 0
     }
  od;
  skip;
  // The memory is the first rank's, and goes when it leaves, or when all have left.
  d_step {
    gone++;
    if
#ifdef FREED_WHEN_ITS_MEMBER_LEAVES
    :: me == 0 -> version[0] = TORN
#else
    :: gone == RANKS -> version[0] = TORN
#endif
    :: else
    fi
  }
}

init {
  byte rank;
  atomic {
    for (rank : 0 .. RANKS - 1) { run Rank(rank) }
  }
}
