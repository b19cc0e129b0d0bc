// How a rank sleeps and is woken: notify() and wait_until() of runtime/comm/signal.cpp, rule 6.
//
// Every rank stores its word, wakes the sleepers and waits for the words of all others; ROUNDS
// times, so that late wakes of one round meet sleepers of the next.
//
// Checked: no deadlock. A sleep ends only by a wake, so that a lost wake is a deadlock. With TIMED
// a sleep may also end by itself, as the real one does after 10 ms: then even the mutants, which
// lose wakes, reach their end.
//
// Memory is that of x86 (total store order): a plain or release store waits in its core's store
// buffer until the core drains it, whenever that is; the core's later loads go past it. A locked
// instruction or a seq_cst store drains the buffer. One store fits; a second drains the first.
// Loads are not reordered with each other. On weaker processors the same holds of what is written
// seq_cst, and here all is: the word, `sleepers` and `wakes`. Of the four accesses
//   word = 1;     if (sleepers) wake        who notifies
//   sleepers++;   if (!word) sleep          who sleeps
// the single order of seq_cst lets one of the two see the other. Release and acquire would not:
// mutant WORD_STORED_RELEASE.

#ifndef RANKS
#define RANKS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

byte word[RANKS];       // the round that the rank has reached
byte in_buffer[RANKS];  // the same, stored and not yet visible; 0: nothing
byte sleepers;
byte wakes;  // the futex word
bool asleep[RANKS];  // in the kernel's queue

#define DRAIN(r)                     \
  if                                 \
  :: in_buffer[r] != 0 ->            \
     word[r] = in_buffer[r];         \
     in_buffer[r] = 0                \
  :: else                            \
  fi

inline store_word(value) {
#ifdef WORD_STORED_RELEASE
  d_step { DRAIN(me); in_buffer[me] = value }
#else
  word[me] = value
#endif
}

inline wake() {
  d_step {
    m = 0;
    do
    :: m < RANKS ->
#ifdef WAKES_ONE
       if
       :: asleep[m] -> asleep[m] = false; break
       :: else
       fi;
#else
       asleep[m] = false;
#endif
       m++
    :: else -> break
    od;
    m = 0
  }
}

inline notify() {
  if
  :: sleepers == 0
  :: else ->
#ifndef WAKES_NOT_COUNTED
     d_step { DRAIN(me); wakes++ }
#endif
     wake()
  fi
}

// Loads one word after the other, up to the first that is not there yet.
inline look() {
  do
  :: m < RANKS && (m == me || word[m] >= round) -> m++
  :: m < RANKS && m != me && word[m] < round -> ready = false; break
  :: m == RANKS -> ready = true; break
  od;
  m = 0
}

// The kernel compares and queues under one lock.
inline sleep_while_wakes_are_as_seen() {
#ifdef SLEEPS_WITHOUT_COMPARING
  asleep[me] = true;
#else
  d_step {
    if
    :: wakes == wakes_seen -> asleep[me] = true
    :: else
    fi
  }
#endif
#ifdef TIMED
  asleep[me] = false
#else
  !asleep[me]
#endif
}

inline count_as_sleeper() { d_step { DRAIN(me); sleepers++ } }

inline wait_for_others() {
  do
  :: look();  // spinning
     if
     :: ready -> break
     :: else
     fi
  ::
#ifdef LOOKS_BEFORE_IT_COUNTS
     wakes_seen = wakes;
     look();
     count_as_sleeper();
#else
     count_as_sleeper();
#ifdef READS_WAKES_AFTER_LOOKING
     look();
     wakes_seen = wakes;
#else
     wakes_seen = wakes;
     look();
#endif
#endif
     if
     :: ready
     :: else -> sleep_while_wakes_are_as_seen()
     fi;
     d_step { DRAIN(me); sleepers--; wakes_seen = 0 };
     if
     :: ready -> break
     :: else
     fi
  od;
  ready = false
}

proctype rank(byte me) {
  byte round = 1, m = 0, wakes_seen = 0;
  bool ready = false;
  do
  :: round <= ROUNDS ->
     store_word(round);
     notify();
     wait_for_others();
     round++
  :: else -> break
  od
}

// The cores drain their buffers when they like.
proctype core(byte me) {
end:
  do
  :: d_step { in_buffer[me] != 0 -> word[me] = in_buffer[me]; in_buffer[me] = 0 }
  od
}

init {
  atomic {
    byte r;
    for (r : 0 .. RANKS - 1) {
      run rank(r);
      run core(r)
    }
  }
}
