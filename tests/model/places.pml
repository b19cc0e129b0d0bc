// The places of operands in a group's memory (SymmetricMemory): compiled programs write each at the
// same place in every iteration and run, and programs use the memory by turns. ring.pml has how
// calls meet; here a call is one record, and what matters is who may write where when.
//
// Every rank runs ROUNDS programs, A, B, A, ..., of CALLS calls each. Call c of program A has its
// operand at place c % PLACES, of program B at the places from the other end. Between two calls a
// rank may complete earlier ones or not, in every order that a plan may have: only what check_plan.h
// demands is kept, that a call is completed by its own rank before its place is acquired again, and
// at the end of the program.
//
// Checked: no rank reads a place that its owner has put to another use (ghost versions); nobody
// reads where layouts differ; no deadlock.
//
// done_through is stored release after the last read, and loaded acquire by acquire(): hence what is
// overwritten was read. It grows, so that a guard on it is one step with what it guards.

#ifndef RANKS
#define RANKS 2
#endif
#ifndef CALLS
#define CALLS 4  // of a program
#endif
#ifndef PLACES
#define PLACES 2
#endif
#ifndef ROUNDS
#define ROUNDS 3
#endif
#ifndef STRANGER
#define STRANGER RANKS  // the rank whose layout is another one; RANKS: none
#endif

#define LAST (ROUNDS * CALLS)
#define ROUND(s) (((s) - 1) / CALLS)
#ifdef ONE_PROGRAM  // instead of two by turns
#define PROGRAM(s) 0
#else
#define PROGRAM(s) (ROUND(s) % 2)
#endif
#define CALL(s) (((s) - 1) % CALLS)
#define PLACE(s) (PROGRAM(s) == 0 -> CALL(s) % PLACES : PLACES - 1 - CALL(s) % PLACES)
#define LAYOUT(rank) ((rank) == STRANGER -> 1 : 0)

typedef Places { byte version[PLACES] };  // ghost: the call whose operand lies there
typedef Lasts { byte call[PLACES] };

Places places[RANKS];
byte epoch[RANKS];  // the last call that is announced; records are never overwritten here
byte done_through[RANKS];
bool failed;

#if RANKS == 2
#define DONE_BY_ALL(s) (done_through[0] >= (s) && done_through[1] >= (s))
#define ARRIVED(s) (epoch[0] >= (s) && epoch[1] >= (s))
#else
#define DONE_BY_ALL(s) \
  (done_through[0] >= (s) && done_through[1] >= (s) && done_through[2] >= (s))
#define ARRIVED(s) (epoch[0] >= (s) && epoch[1] >= (s) && epoch[2] >= (s))
#endif

// What a rank remembers: by program and place, its last call there; and when it enters a program,
// the last call of whatever ran before.

#ifdef FORGOTTEN_ENTRY
#define OTHERS 0
#else
#define OTHERS others
#endif

// Where a program comes round to a place again, in the next iteration or run.
#ifdef FORGOTTEN_BACK_EDGE
#define LAST_OWN(s) (last[PROGRAM(s)].call[PLACE(s)] > ROUND(s) * CALLS -> \
                     last[PROGRAM(s)].call[PLACE(s)] : 0)
#else
#define LAST_OWN(s) last[PROGRAM(s)].call[PLACE(s)]
#endif

#define READER_OF_PLACE(s) (LAST_OWN(s) > OTHERS -> LAST_OWN(s) : OTHERS)

#ifdef ACQUIRED_AFTER_OWN_COMPLETION
#define RELEASED(s) (done_through[me] >= (s))
#else
#define RELEASED(s) DONE_BY_ALL(s)
#endif

// check_plan.h: what lies at a place is waited for before the place is acquired again.
#ifdef ACQUIRED_BEFORE_OWN_COMPLETION
#define MAY_ACQUIRE(s) true
#else
#define MAY_ACQUIRE(s) (finished >= LAST_OWN(s))
#endif

inline read(s) {
  for (i : 0 .. RANKS - 1) {
    assert(LAYOUT(i) == LAYOUT(me));
    assert(places[i].version[PLACE(s)] == s)
  }
  i = 0
}

inline compare() {
  for (i : 0 .. RANKS - 1) {
    if
    :: LAYOUT(i) != LAYOUT(me) -> failed = true
    :: else
    fi
  }
  i = 0
}

proctype Rank(byte me) {
  byte started, finished, next, others, i;
  bool compared;
  Lasts last[2];

  do
  :: failed -> break
  :: !failed && finished == LAST -> break
  :: d_step {
       // Of a program, all is completed before the next one begins.
       !failed && started < LAST && next == 0 && MAY_ACQUIRE(started + 1) &&
           (CALL(started + 1) > 0 || finished == started) ->
         if
         :: CALL(started + 1) == 0 && started > 0 && PROGRAM(started + 1) != PROGRAM(started) ->
            others = started
         :: else
         fi;
         next = started + 1
     }
     // acquire: the rank does nothing else until it may write, but for completing what all have
     // announced.
     do
     :: failed -> break
     :: d_step {
          !failed && RELEASED(READER_OF_PLACE(next)) ->
            places[me].version[PLACE(next)] = next;
            last[PROGRAM(next)].call[PLACE(next)] = next;
        }
        started = next;
        epoch[me] = next;
        next = 0;
        break
     od
  :: d_step { !failed && finished < started && ARRIVED(finished + 1) && !compared ->
#ifndef COMPARED_AFTER_READING
       compare();
#endif
       compared = true }
  :: d_step { compared && !failed -> read(finished + 1) }
#ifdef COMPARED_AFTER_READING
     d_step { compare() }
#endif
     compared = false;
     finished++;
     done_through[me] = finished;
#ifdef PLACES_FREED_WITH_THE_PROGRAM
     // The program is dropped, and its memory is somebody else's.
     if
     :: finished == LAST -> places[me].version[0] = 255
     :: else
     fi
#else
     if
     :: finished == LAST -> d_step { failed || DONE_BY_ALL(LAST) -> places[me].version[0] = 255 }
     :: else
     fi
#endif
  od
}

init {
  byte rank;
  atomic {
    for (rank : 0 .. RANKS - 1) { run Rank(rank) }
  }
}
