// What happens to a group when a rank calls something else, leaves, dies, gives up waiting, or when
// somebody aborts. kernels/host/collectives.h has the rules, runtime/comm/group_agreement.cpp
// the waits.
//
// Every rank publishes LAST collectives and waits for the oldest whenever it likes. A rank that
// failed either leaves or stays without doing anything more in this group (a user may catch the
// error and go on elsewhere); so does one that is through.
//
// Checked: no deadlock, so that a wait ends by success or by an error whatever happens to others;
// no rank completes a collective that another meant otherwise; with a mismatch alone, those before
// it complete everywhere; where nothing goes wrong nobody fails, though ranks leave and exit at
// their own time; no memory is read or written after its owner gave it back; chunks as in ring.pml.
//
// Which of these happen is set by macros: MISMATCH (the number of the collective that the last rank
// calls otherwise), LEAVER (a rank that may leave at any time), VICTIMS (how many ranks, any, may
// be killed at any step), ABORT, GIVES_UP (a rank whose waits may time out; the others' never do,
// so that nothing but the protocol frees them), EXITS_WITHOUT_A_WORD (who is through does not
// always say that it leaves). READER is a rank that reads what members gave and computes no chunks.
//
// Real orderings: `left` (RankPage::kGone) is stored seq_cst after the last epoch, and loaded
// before the second look at the epoch (acquire): what a rank published before it left counts.
// `dead` is what the kernel says of a process; all its stores were made before. The failure's text
// is written between two values of its state, the second stored release; `from` is lowered before.

#ifndef RANKS
#define RANKS 2
#endif
#ifndef RING
#define RING 1
#endif
#ifndef LAST
#define LAST 2
#endif
#ifndef LARGE
#define LARGE 4  // bit s is set: collective s is chunked
#endif
#ifndef CHUNKS
#define CHUNKS 2
#endif
#ifndef MISMATCH
#define MISMATCH 0
#endif
#ifndef LEAVER
#define LEAVER 255
#endif
#ifndef VICTIMS
#define VICTIMS 0
#endif
#ifndef GIVES_UP
#define GIVES_UP 255
#endif
#ifndef READER
#define READER 255
#endif

#define SLOT(s) ((s) % RING)
#define IS_CHUNKED(s) (((LARGE >> (s)) & 1) && me != READER)
#define FINGERPRINT(m, s) ((s) == MISMATCH && (m) == RANKS - 1)
#define HAS(bits, m) ((bits >> (m)) & 1)
#define EVERYBODY ((1 << RANKS) - 1)
#define FAR 250  // for kLeft and for "no failure"

typedef Records { byte epoch[RING] };

Records record[RANKS];
byte done_through[RANKS];
byte left_after[RANKS];
byte claimed[RING], counted[RING];
byte computed[(LAST + 1) * CHUNKS];  // ghost: how often
bool left[RANKS];
bool dead[RANKS];
// Ghost: whether the memory that a rank gave to the group's collectives (operands, results, shared
// results) has gone back to other uses.
bool freed[RANKS];

mtype = { none, being_written, written };
mtype failure = none;
byte failure_from = FAR;
byte writer = FAR;  // the rank that writes it down, while one does

#define OF_ANY_RANK_2(condition) (condition(0) || condition(1))
#if RANKS == 2
#define OF_ANY_RANK(condition) OF_ANY_RANK_2(condition)
#elif RANKS == 3
#define OF_ANY_RANK(condition) (OF_ANY_RANK_2(condition) || condition(2))
#else
#define OF_ANY_RANK(condition) (OF_ANY_RANK_2(condition) || condition(2) || condition(3))
#endif

// A rank that left and then exits is not missed. `left` is loaded after the kernel was asked.
#define IS_GONE(m) (dead[m] && !left[m])

// Whoever was to write the failure down may have died on it. It counts all the same, or one could
// wait for a rank that failed without finding it written, and stays.
#ifdef HALF_WRITTEN_FAILURE_OVERLOOKED
#define FAILED(s) (failure == written && failure_from <= (s))
#else
#define FAILED(s) \
  ((failure == written || \
    (failure == being_written && writer < RANKS && IS_GONE(writer))) && \
   failure_from <= (s))
#endif

#define IS_MISSING(m) (!HAS(seen, m) && record[m].epoch[SLOT(OLDEST)] != OLDEST)
#define IS_UNSEEN_AND_LEFT(m) (!HAS(seen, m) && left[m])
#define IS_MISSING_AND_LEFT(m) (left[m] && IS_MISSING(m))
#define IS_MISSING_AND_GONE(m) (IS_GONE(m) && IS_MISSING(m))
#define IS_UNSEEN_AND_GONE(m) (!HAS(seen, m) && IS_GONE(m))

#define OLDEST (done + 1)     // to be completed next
#define WANTED (started + 1)  // to be published next
#define LATE(m) (WANTED > RING && done_through[m] < WANTED - RING)
#ifdef ONLY_THE_DEAD_BURIED
#define MAY_BURY(m) (IS_GONE(m) && LATE(m))
#else
#define MAY_BURY(m) ((dead[m] || left[m]) && LATE(m))
#endif

#ifdef BURIED_DEATH_OVERLOOKED
#define COMPLETED_BY(m) done_through[m]
#else
#define COMPLETED_BY(m) (done_through[m] == FAR -> left_after[m] : done_through[m])
#endif
#ifdef LATER_DEATHS_COUNT
#define DIED_BEFORE_ITS_END(m) IS_GONE(m)
#else
#define DIED_BEFORE_ITS_END(m) (IS_GONE(m) && COMPLETED_BY(m) < OLDEST)
#endif
#ifdef DEATH_OVERLOOKED_AT_CHUNKS
#define DEATH_ENDS_CHUNKS false
#else
#define DEATH_ENDS_CHUNKS OF_ANY_RANK(DIED_BEFORE_ITS_END)
#endif
#ifdef COMPARED_WITH_FIRST_ONLY
#define COMPARED(m) ((m) == 0)
#else
#define COMPARED(m) true
#endif

// The first reason stays; a rank that finds one being written goes on with its own.
inline fail(s) {
  d_step {
    if
    :: (s) < failure_from -> failure_from = s
    :: else
    fi
  };
  if
  :: d_step { failure == none -> failure = being_written; writer = me };
     d_step { failure = written; writer = FAR }
  :: failure != none
  fi;
  goto failed
}

inline publish() {
  d_step {
    started < LAST && !OF_ANY_RANK(LATE) ->
    started++;
    if
    :: me == 0 -> claimed[SLOT(started)] = 0; counted[SLOT(started)] = 0
    :: else
    fi
  };
  record[me].epoch[SLOT(started)] = started
}

// IN_ORDER keeps four ranks small.
#ifdef IN_ORDER
#define MAY_LOOK_AT(m) (!HAS(seen, m) && (seen & ((1 << (m)) - 1)) == (1 << (m)) - 1)
#else
#define MAY_LOOK_AT(m) (!HAS(seen, m))
#endif

// One look at one member, in any order: compares, before anything else is read.
inline look_at(m) {
  MAY_LOOK_AT(m) && record[m].epoch[SLOT(OLDEST)] == OLDEST ->
  if
  :: COMPARED(m) && FINGERPRINT(m, OLDEST) != FINGERPRINT(me, OLDEST) -> fail(OLDEST)
  :: else -> seen = seen | (1 << (m))
  fi
}

inline wait_for_arrivals() {
  do
  :: look_at(0)
  :: look_at(1)
#if RANKS > 2
  :: look_at(2)
#endif
#if RANKS > 3
  :: look_at(3)
#endif
  :: seen == EVERYBODY -> break
  :: seen != EVERYBODY && FAILED(OLDEST) -> goto failed
#ifdef NO_SECOND_LOOK
  :: seen != EVERYBODY && OF_ANY_RANK(IS_MISSING) ->
     if
     :: OF_ANY_RANK(IS_UNSEEN_AND_LEFT) -> fail(OLDEST)
     :: else
     fi
#else
  :: seen != EVERYBODY && OF_ANY_RANK(IS_MISSING_AND_LEFT) -> fail(OLDEST)
#endif
#ifdef NO_SECOND_LOOK_AT_THE_DEAD
  :: seen != EVERYBODY && OF_ANY_RANK(IS_MISSING) ->
     if
     :: OF_ANY_RANK(IS_UNSEEN_AND_GONE) -> fail(OLDEST)
     :: else
     fi
#else
  :: seen != EVERYBODY && OF_ANY_RANK(IS_MISSING_AND_GONE) -> fail(OLDEST)
#endif
  :: seen != EVERYBODY && GIVES_UP == me -> fail(OLDEST)
  od
}

// Looks at what all members gave.
inline touch(s) {
  for (i : 0 .. RANKS - 1) {
    assert(!freed[i]);
    assert(record[i].epoch[SLOT(s)] == s)
  }
  i = 0
}

inline compute_chunks(s) {
  do
  :: d_step { claimed[SLOT(s)] < CHUNKS -> chunk = claimed[SLOT(s)]; claimed[SLOT(s)]++ };
     d_step { touch(s); computed[(s) * CHUNKS + chunk]++; chunk = 0; taken++ }
  :: d_step {
       claimed[SLOT(s)] == CHUNKS ->
       counted[SLOT(s)] = counted[SLOT(s)] + taken;
       taken = 0
     };
     break
  od;
  if
  :: counted[SLOT(s)] == CHUNKS
  :: FAILED(s) -> goto failed
  :: counted[SLOT(s)] != CHUNKS && DEATH_ENDS_CHUNKS -> fail(s)
  :: GIVES_UP == me -> fail(s)
  fi
}

inline finish(s) {
  for (i : 0 .. RANKS - 1) { assert(FINGERPRINT(i, s) == FINGERPRINT(me, s)) }
  if
  :: IS_CHUNKED(s) -> for (i : 0 .. CHUNKS - 1) { assert(computed[(s) * CHUNKS + i] == 1) }
  :: else
  fi;
  i = 0;
  seen = 1 << me;
  done++;
  done_through[me] = done
}

inline complete(s) {
  wait_for_arrivals();
  if
  :: IS_CHUNKED(s) -> compute_chunks(s)
  :: else -> d_step { touch(s) }
  fi;
  d_step { finish(s) }
}

// Rule 1 waits for nobody who left or died: who sees it says so in his place.
inline bury(m) {
  d_step { MAY_BURY(m) -> left_after[m] = done_through[m]; done_through[m] = FAR }
}

// May be killed between the two. The memory goes with the last one: who left may be read, and who
// failed.
inline leave() {
  left[me] = true;
  d_step {
    if
    :: done_through[me] != FAR -> left_after[me] = done_through[me]; done_through[me] = FAR
    :: else
    fi;
#ifdef FREED_BY_WHO_LEAVES
    freed[me] = true;
#endif
    for (i : 0 .. RANKS - 1) {
      if
      :: left[i] -> i_left++
      :: else
      fi
    }
    if
    :: i_left == RANKS -> for (i : 0 .. RANKS - 1) { freed[i] = true }
    :: else
    fi;
    i = 0;
    i_left = 0;
    dead[me] = true  // the process exits
  }
}

#define WAITS_FOR_SLOT (started < LAST && done == started && OF_ANY_RANK(LATE))

proctype rank(byte me) {
  byte started = 0, done = 0;
  byte seen = 1 << me;  // whose records of the oldest collective were compared
  byte chunk = 0, taken = 0, i = 0, i_left = 0;
  bool may_leave = (me == LEAVER);
  {
    do
    :: publish()
    :: started < LAST && FAILED(WANTED) -> goto failed
    :: done < started -> complete(OLDEST)
    // Rule 1's wait, after this rank's own part.
    :: WAITS_FOR_SLOT && FAILED(WANTED - RING) -> goto failed
#ifndef DEATH_OVERLOOKED_AT_SLOT
    :: WAITS_FOR_SLOT && OF_ANY_RANK(MAY_BURY) ->
       if
       :: bury(0)
       :: bury(1)
#if RANKS > 2
       :: bury(2)
#endif
#if RANKS > 3
       :: bury(3)
#endif
       :: !OF_ANY_RANK(MAY_BURY)  // another was faster
       fi
#endif
    :: WAITS_FOR_SLOT && GIVES_UP == me -> fail(WANTED - RING)
    :: may_leave ->
       if
       :: goto leaving
       :: may_leave = false
       fi
    :: started == LAST && done == LAST -> goto ends
    od;
failed:
#ifdef NOTHING_GOES_WRONG
    assert(false);
#endif
#ifdef MISMATCH_ALONE
    assert(done == MISMATCH - 1);
#endif
#ifdef FREED_BY_WHO_FAILS
    freed[me] = true;
#endif
ends:
    if
    :: goto stays
    :: goto leaving
    fi;
leaving:
    leave();
stays:
#ifdef EXITS_WITHOUT_A_WORD
    dead[me] = true
#else
    skip
#endif
  } unless { dead[me] }
}

init {
  byte r = 0, victims = 0;
  atomic {
    for (r : 0 .. RANKS - 1) { run rank(r) }
    r = 0
  };
#ifdef ABORT
  if
  :: failure_from = 0;
     if
     :: d_step { failure == none -> failure = being_written };
        failure = written
     :: failure != none
     fi
  :: skip
  fi;
#endif
  do
  :: victims < VICTIMS ->
     if
     :: r = 0
     :: r = 1
#if RANKS > 2
     :: r = 2
#endif
#if RANKS > 3
     :: r = 3
#endif
     fi;
     victims++;
     d_step { dead[r] = true; r = 0 }
  :: break
  od
}
