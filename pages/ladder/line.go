package ladder

import (
	"strings"
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
	Policy       LineKind = iota // a policy
	Unit                         // rows of tier 2 without an object
	Rows                         // live rows without a policy or unit
	More                         // groups of live rows left out
	Gap                          // a range of free priorities
	FreePriority                 // one free priority
	Band                         // the heading of a tier
	Part                         // the heading of a part of tier 2
	Namespace                    // the heading of a namespace's units in tier 2
	Examples                     // the heading of the sandbox's examples
	Broken                       // an unreadable object
)

// Line is one line of the ladder.
type Line struct {
	Kind  LineKind
	ID    string      // unique on the ladder, stable over revisions
	Place int         // index of the line
	Tier  int         // -1 if none
	Stage model.Stage // the line's stage, "" for all
	Key   model.Key   // of a policy, a unit, or an unreadable object

	// Title names a heading; Note is a remark on a part. Text follows a title, or is the whole line. Its first
	// Hold pieces stay when the user scrolls sideways.
	Title, Note    string
	Text           page.Line
	Hold           int
	Foldable, Open bool // a heading can unfold, and is unfolded
	Gap            ladder.Gap
	Broken         *model.Broken

	// Priority is a policy's, the first of a gap, or a free one; Listed means a priority with its own line.
	// First and Last are OVN priorities of a unit or live rows: First decides first, 0 if nothing decides.
	// Order is a priority within a band.
	Priority    int32
	Listed      bool
	First, Last int
	Printed     bool // for a command, which shows First and Last
	Order       string
	Band        string // the tier's name

	Sign            page.Span     // before the name: alone on its priority, one of several
	Name            page.Cell     // as shown below its headings
	Label           string        // the full name
	Policy          *model.Policy // nil if not a policy
	Subject         string
	Ingress, Egress ladder.RuleCount
	Rows            *revision.RowGroup // live rows without a policy
	Zones           int                // number of all zones

	// Compiled means that desired rows exist, PodsKnown that Pods has a meaning.
	Compiled, PodsKnown bool
	// PodsUnread means that Pods is unknown, because pods were not read.
	PodsUnread bool
	Pods, ACLs int
	Summary    revision.PolicySummary
	State      page.Cell
	Rank       int         // of the state: lower is worse
	Log        []page.Cell // one cell for each level
	LogText    string      // the same for a command
	Notes      []revision.LadderNote
	Marks      []LineMark
	Remark     string // shown below the table instead of notes
	hits       *logs.HitSummary
}

// LineMark is a note in some words, and how many notes it represents. Note is nil for a state.
type LineMark struct {
	page.Cell
	Count int
	Note  *revision.LadderNote
}

// Texts returns the mark in ever fewer words: with the rules, without them, in two or three words.
func (m *LineMark) Texts() []string {
	if m.Note == nil {
		return []string{m.Text}
	}
	bare, _, _ := strings.Cut(m.Text, " (")
	return []string{m.Text, bare, strings.TrimRight(NoteSign(m.Note).Text+" "+m.Note.Short+m.Note.Name, " ")}
}

// LadderOptions select what the ladder shows. The zero value is everything, for a command.
type LadderOptions struct {
	Stage model.Stage // the only stage shown, "" for all
	Now   time.Time

	// Screen means that lines are below headings, with sentences below the table, and that tiers are folded;
	// so are namespaces if tier 2 has many units. ToggledHeadings has the IDs of headings that the user folded
	// or unfolded, against this default.
	Screen          bool
	ToggledHeadings map[string]bool
	ExpandedGaps    map[int32]bool   // gaps shown priority by priority, by first priority
	ExpandAllGaps   bool             // as ExpandedGaps, for every gap
	Filtered        bool             // some lines of a priority may be missing
	Sorted          bool             // lines are in another order
	Narrow          bool             // too narrow for full names of kinds
	FoldKey         string           // the key that folds and unfolds
	Hits            *logs.HitSummary // nil without a log
	// Carried is a policy on its way to priority At, or to AtPlace in a plugin's own tiers.
	Carried model.PolicyKey
	At      int32
	AtPlace plan.TierPlace
}

// PolicyID returns the ID of a policy's line.
func PolicyID(k model.PolicyKey) string { return "policy " + k.String() }
