// The life of a group's collectives when nothing goes wrong: arrival through the ring of slots,
// one-shot and chunked work, done_through, reuse of operands' places and of shared results.
// kernels/host/collectives.h has the rules; their numbers are the ones used here.
//
// Every rank publishes LAST collectives, completes them in order and drops the results, in every
// order that rule 5 and a user's program allow: it may run ahead, and may at any time begin to wait
// for its oldest collective, after which it publishes nothing until that one is complete.
//
// Checked: no rank reads or writes an operand, a record or a result that its owner has put to
// another use (ghost versions); each chunk is computed exactly once when a rank completes; chunk
// counters are reset under nobody's hands; holder counts do not run below zero; no deadlock.
//
// Spin interleaves steps of one memory that all see alike. What the real words need for that:
//   epoch: stored release (after sfence), loaded acquire: operand, record, holder count and reset
//     counters are visible to whoever sees it. The reset itself is relaxed.
//   claimed: fetch_add relaxed. It orders nothing; that it is atomic is all that counts.
//   done: fetch_add acquire-release (after sfence), loaded acquire: whoever sees the full count
//     sees all chunks, since the additions form one release sequence.
//   done_through: stored release after the last read and write, loaded acquire before the
//     overwriting. Hence what is overwritten was read: no load may sink below a release store.
//   holders: stored relaxed before the epoch; dropped by fetch_sub release; the owner loads zero
//     acquire before it writes.
// done_through and epoch are also wait words, and seq_cst for that: sleep.pml.
//
// Steps are as coarse as is sound. A guard on done_through is one step with what it guards, since
// the words only grow. A read is one look, at its end: had an owner been able to overwrite in the
// middle of it, he could have overwritten before that.

#ifndef RANKS
#define RANKS 2
#endif
#ifndef RING
#define RING 2  // slots
#endif
#ifndef LAST
#define LAST 4  // number of the last collective
#endif
#ifndef LARGE
#define LARGE 30  // bit s is set: collective s is chunked
#endif
#ifndef COMMON
#define COMMON LARGE  // and this bit: its result is common to all ranks
#endif
#ifndef CHUNKS
#define CHUNKS 2
#endif
#ifndef PLACES
#define PLACES 1  // for operands: collective s uses its rank's place s % PLACES
#endif
#ifndef BLOCKS
#define BLOCKS 1  // for shared results, of each rank
#endif

#define SLOT(s) ((s) % RING)
#define PLACE(s) ((s) % PLACES)
#define OWNER(s) ((s) % RANKS)
#define HAS(bits, s) ((bits >> (s)) & 1)
#define PRIVATE 255  // instead of the number of a block
#define OWN_PLACE 255

typedef Records {
  byte epoch[RING];
  byte sequence[RING];  // stands for all plain fields but these:
  byte operand[RING];   // OWN_PLACE, or the block with the shared result of the collective before
  byte result[RING]     // a block of the owner, or PRIVATE
};
typedef Counters {
  byte claimed;
  byte done;
  byte workers  // ghost: ranks between their first look at the counters and their last
};
// Versions are ghosts: the collective whose operand or result lies there.
// (An operand's place stands for that of the member's own result as well: they are used alike.)
typedef Places { byte version[PLACES] };
typedef Blocks {
  byte version[BLOCKS];
  byte holders[BLOCKS]
};

Records record[RANKS];
byte done_through[RANKS];
Counters counters[RING];
Places places[RANKS];
Blocks blocks[RANKS];
byte computed[(LAST + 1) * CHUNKS];  // ghost: how often each chunk of each collective was

#if RANKS == 2
#define DONE_BY_ALL(s) (done_through[0] >= (s) && done_through[1] >= (s))
#elif RANKS == 3
#define DONE_BY_ALL(s) \
  (done_through[0] >= (s) && done_through[1] >= (s) && done_through[2] >= (s))
#else
#define DONE_BY_ALL(s)                                                          \
  (done_through[0] >= (s) && done_through[1] >= (s) && done_through[2] >= (s) && \
   done_through[3] >= (s))
#endif

// The rules, and mutants that break one each.

#ifdef NO_RULE_1
#define SLOT_IS_FREE(s) true
#else
#define SLOT_IS_FREE(s) ((s) <= RING || DONE_BY_ALL((s) - RING))
#endif

#ifdef OPERAND_REUSED_AFTER_OWN_COMPLETION
#define PLACE_IS_FREE(s) ((s) <= PLACES || done_through[me] >= (s) - PLACES)
#else
#define PLACE_IS_FREE(s) ((s) <= PLACES || DONE_BY_ALL((s) - PLACES))
#endif

#ifdef BLOCK_REUSED_WHEN_DONE_BY_ALL
#define BLOCK_IS_FREE(b) DONE_BY_ALL(blocks[me].version[b])
#else
#define BLOCK_IS_FREE(b) (blocks[me].holders[b] == 0)
#endif

#ifdef ONE_HOLDER_TOO_FEW
#define HOLDERS (RANKS - 1)
#else
#define HOLDERS RANKS
#endif

#ifdef COMPLETE_WHEN_CLAIMED
#define CHUNKS_ARE_DONE(s) (counters[SLOT(s)].claimed == CHUNKS)
#else
#define CHUNKS_ARE_DONE(s) (counters[SLOT(s)].done == CHUNKS)
#endif

// A result that is an operand too is read by peers after this rank's own completion.
#ifdef CHAINED_OPERAND_DROPPED_EARLY
#define READ_BY_ALL(s) (done_through[me] >= (s))
#else
#define READ_BY_ALL(s) DONE_BY_ALL(s)
#endif

#define FIRST_PEER (me == 0)  // as the number of a member

#define COMMON_RESULT(s) record[OWNER(s)].result[SLOT(s)]
#define IS_CHUNKED(s) (HAS(LARGE, s) && (!HAS(COMMON, s) || COMMON_RESULT(s) != PRIVATE))

inline reset_counters(s) {
  assert(counters[SLOT(s)].workers == 0);
  counters[SLOT(s)].claimed = 0;
  counters[SLOT(s)].done = 0
}

// The owner takes a block that nobody holds. Without one the results are private: nobody waits for
// what a user holds.
inline place_result(s) {
  record[me].result[SLOT(s)] = PRIVATE;
  if
  :: HAS(COMMON, s) && OWNER(s) == me ->
     for (i : 0 .. BLOCKS - 1) {
       if
       :: record[me].result[SLOT(s)] == PRIVATE && BLOCK_IS_FREE(i) ->
          record[me].result[SLOT(s)] = i;
          blocks[me].version[i] = s;
#ifndef HOLDERS_SET_AFTER_EPOCH
          blocks[me].holders[i] = HOLDERS
#endif
       :: else
       fi
     }
  :: else
  fi
}

// Whatever publishing overwrites, as early as it may.
inline overwrite(s, from) {
  if
  :: from == OWN_PLACE -> places[me].version[PLACE(s)] = s
  :: else -> chained = chained | (1 << ((s) - 1))
  fi;
  record[me].sequence[SLOT(s)] = s;
  record[me].operand[SLOT(s)] = from;
  place_result(s);
#if !defined(RESET_AFTER_EPOCH) && !defined(RESET_BY_WHO_COMPLETES)
  if
  :: me == 0 -> reset_counters(s)
  :: else
  fi
#endif
}

#define MAY_PUBLISH \
  (!waits && started < LAST && SLOT_IS_FREE(started + 1) && PLACE_IS_FREE(started + 1))

// Publishes the next collective, with its operand at `from`.
inline publish(from, condition) {
#ifdef EPOCH_FIRST
  d_step { condition -> started++; record[me].epoch[SLOT(started)] = started };
  d_step { overwrite(started, from); i = 0 }
#else
  d_step { condition -> started++; overwrite(started, from); i = 0 };
  record[me].epoch[SLOT(started)] = started
#endif
#ifdef RESET_AFTER_EPOCH
  if
  :: me == 0 -> d_step { reset_counters(started) }
  :: else
  fi
#endif
#ifdef HOLDERS_SET_AFTER_EPOCH
  d_step {
    if
    :: record[me].result[SLOT(started)] != PRIVATE ->
       blocks[me].holders[record[me].result[SLOT(started)]] = HOLDERS
    :: else
    fi
  }
#endif
}

// Looks at every operand, and at the results that chunks are written to.
inline touch(s) {
  for (i : 0 .. RANKS - 1) {
    assert(record[i].sequence[SLOT(s)] == s);
    if
    :: record[i].operand[SLOT(s)] == OWN_PLACE -> assert(places[i].version[PLACE(s)] == s)
    :: else -> assert(blocks[OWNER((s) - 1)].version[record[i].operand[SLOT(s)]] == (s) - 1)
    fi
  }
  if
  :: COMMON_RESULT(s) == PRIVATE
  :: else -> assert(blocks[OWNER(s)].version[COMMON_RESULT(s)] == s)
  fi;
  i = 0
}

// Claims and computes chunks until none is left, then counts them.
inline take_chunks(s) {
  do
  :: d_step {
       counters[SLOT(s)].claimed < CHUNKS -> chunk = counters[SLOT(s)].claimed;
#ifndef CLAIM_NOT_ATOMIC
       counters[SLOT(s)].claimed++
#endif
     }
#ifdef CLAIM_NOT_ATOMIC
     counters[SLOT(s)].claimed = chunk + 1;
#endif
     d_step { touch(s); computed[(s) * CHUNKS + chunk]++; chunk = 0; taken++ }
  :: d_step {
       counters[SLOT(s)].claimed >= CHUNKS ->
       counters[SLOT(s)].done = counters[SLOT(s)].done + taken;
       taken = 0
     }
     break
  od
}

// What complete() does once the last chunk is done: from here the rank's user holds the result.
inline finish(s) {
  if
  :: IS_CHUNKED(s) ->
     counters[SLOT(s)].workers--;
     for (i : 0 .. CHUNKS - 1) { assert(computed[(s) * CHUNKS + i] == 1) }
     i = 0;
     mine[s] = COMMON_RESULT(s);
     if
     :: mine[s] != PRIVATE -> held = held | (1 << (s))
     :: else
     fi
  :: else
  fi;
#ifdef RESET_BY_WHO_COMPLETES
  if
  :: counters[SLOT(s)].claimed != 0 -> reset_counters(s)
  :: else
  fi;
#endif
#ifndef DONE_BEFORE_READING
  done_through[me] = s;
#endif
  seen = FIRST_PEER;
  worked = false;
  waits = false
}

#define OLDEST (done + 1)
#define PENDING (done < started)

// The user looks at the result of s for the last time.
#define MAY_DROP(s) (HAS(held, s) && !waits && (!HAS(chained, s) || READ_BY_ALL((s) + 1)))
inline drop(s) {
  d_step {
    MAY_DROP(s) ->
    assert(blocks[OWNER(s)].version[mine[s]] == s);
    assert(blocks[OWNER(s)].holders[mine[s]] > 0);
    blocks[OWNER(s)].holders[mine[s]]--;
    held = held & ~(1 << (s));
    chained = chained & ~(1 << (s));
    mine[s] = 0
  }
}

proctype rank(byte me) {
  byte started = 0;        // number of the last collective that was published
  byte done = 0;           // and completed
  byte seen = FIRST_PEER;  // the next member whose record of the oldest pending one is awaited
  bool worked = false;     // chunks of the oldest are claimed, or its one-shot result is there
  bool waits = false;      // the user waits for the oldest
  byte chunk = 0, taken = 0, i = 0;
  byte mine[LAST + 1];     // the blocks of the results that the user holds
  short held = 0;          // bit s: the user holds the shared result of s
  short chained = 0;       // bit s: and it is an operand too

  do
  :: publish(OWN_PLACE, MAY_PUBLISH)
#ifdef CHAIN
  :: publish(mine[started - 1], MAY_PUBLISH && HAS(held, started))
#endif
  :: PENDING && !waits -> waits = true

  :: PENDING && seen < RANKS && record[seen].epoch[SLOT(OLDEST)] == OLDEST ->
     d_step {
       assert(record[seen].sequence[SLOT(OLDEST)] == OLDEST);
       seen++;
       if
       :: seen == me -> seen++
       :: else
       fi;
       if
       :: seen == RANKS && IS_CHUNKED(OLDEST) -> counters[SLOT(OLDEST)].workers++
       :: else
       fi
     }
  :: PENDING && seen == RANKS && !worked ->
#ifdef DONE_BEFORE_READING
     done_through[me] = OLDEST;
#endif
     if
     :: IS_CHUNKED(OLDEST) -> take_chunks(OLDEST)
     :: else -> d_step { touch(OLDEST) }
     fi;
     worked = true
  :: worked && (!IS_CHUNKED(OLDEST) || CHUNKS_ARE_DONE(OLDEST)) ->
     d_step { finish(OLDEST); done++ }

  :: drop(1)
  :: drop(2)
  :: drop(3)
#if LAST > 3
  :: drop(4)
#endif
#if LAST > 4
  :: drop(5)
#endif
  :: started == LAST && done == LAST && held == 0 -> break
  od
}

init {
  atomic {
    byte r;
    for (r : 0 .. RANKS - 1) { run rank(r) }
  }
}
