package ladder

import (
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/model/ladder"
	"rung/model/plan"
	"rung/pages/page"
	"rung/revision"
)

// LineKind is the kind of a line of the ladder.
type LineKind int

// The kinds of lines.
const (
	Policy    LineKind = iota // a policy
	Unit                      // rows of tier 2 that no object stands for
	Rows                      // live rows that nothing else on the ladder stands for
	More                      // groups of live rows that are left out
	Gap                       // a run of free priorities
	Slot                      // one free priority
	Band                      // the heading of a tier
	Part                      // the heading of a part of tier 2
	Namespace                 // the heading of what tier 2 holds of a namespace
	Examples                  // the heading of the sandbox's examples
	Broken                    // an object that could not be read
)

// Line is one line of the ladder.
type Line struct {
	Kind  LineKind
	ID    string      // unique on the ladder, the same from one revision to the next
	Place int         // how many lines stand before it
	Tier  int         // -1 for none
	Stage model.Stage // the one the line is about, "" for all
	Key   model.Key   // of a policy, a unit, an object that could not be read

	// Title names a band, a part, a namespace or examples; Note
	// should be known about a part. Text follows a title, or is the whole line. Of it the
	// first Hold pieces stay where one scrolls sideways.
	Title, Note string
	Text        page.Line
	Hold        int
	Folds, Open bool // a heading has something to unfold, and it is unfolded
	Gap         ladder.Gap
	Broken      *model.Broken

	// Priority is a policy's, the first of a gap, or a free one; Listed says that it
	// has a line of its own. First and Last are OVN's, of a unit or live rows: First decides
	// first, 0 where nothing does. Order is a priority within a band.
	Priority    int32
	Listed      bool
	First, Last int
	Printed     bool // for a command, which shows both
	Order       string
	Band        string // the tier by its name

	Sign            page.Span     // before the name: alone on its priority, one of several
	Name            page.Cell     // below its headings
	Label           string        // in full
	Policy          *model.Policy // nil for what is no policy
	Subject         string
	Ingress, Egress ladder.RuleCount
	Rows            *revision.RowGroup // live rows of others
	Zones           int                // that there are

	// Compiled says that there are rows to compare; PodsKnown that the line is about pods.
	Compiled, PodsKnown bool
	// PodsUnread reports whether Pods says nothing, since pods were not read.
	PodsUnread bool
	Pods, ACLs int
	Summary    revision.PolicySummary
	State      page.Cell
	Rank       int         // how bad the state is, the lower the worse
	Log        []page.Cell // level by level
	LogText    string      // the same for a command
	Notes      []revision.LadderNote
	Marks      []LineMark
	Remark     string // what stands below the table in place of notes
	hits       *logs.HitSummary
}

// LineMark is a note in short, and for how many it stands.
type LineMark struct {
	page.Cell
	Count int
}

// LadderOptions say what of the ladder is shown. The zero value is all of it, for a command.
type LadderOptions struct {
	Stage model.Stage // the one it is narrowed to, "" for all
	Now   time.Time

	// Screen says that the lines are read below their headings, with sentences below the
	// table, and that tiers are folded, and namespaces where tier 2 has many units. Turned
	// has the IDs of headings that somebody folded or unfolded: there it is the other way
	// round.
	Screen    bool
	Turned    map[string]bool
	Spread    map[int32]bool   // gaps shown slot by slot, by their first priority
	SpreadAll bool             // every gap is
	Filtered  bool             // some lines of a priority may be left out
	Sorted    bool             // lines stand in another order
	Narrow    bool             // there is no room for kinds in full
	FoldKey   string           // the key that folds and unfolds
	Hits      *logs.HitSummary // nil without a log
	// Carried is a policy on its way to priority At, or to AtPlace where policies stand in tiers of
	// their plugin's own.
	Carried model.PolicyKey
	At      int32
	AtPlace plan.TierSlot
}

// PolicyID is the ID of the line of a policy.
func PolicyID(k model.PolicyKey) string { return "policy " + k.String() }
