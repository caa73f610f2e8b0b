package action

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// meanings say what an action is about where the last word of its id does not. A
// letter has one meaning on every page: actions that share a letter share their
// meaning, so that policy.edit and rule.edit need no line here.
var meanings = map[ID]string{
	LadderGaps:      "fold or unfold all",
	LogsAggregate:   "fold or unfold all",
	CarryFar:        "far down",
	CarryFarUp:      "far up",
	HalfDown:        "far down",
	HalfUp:          "far up",
	CarryCancel:     "back",
	PreviewNo:       "back",
	Leave:           "back",
	PolicyYAML:      "the text",
	PreviewDiff:     "the text",
	PolicyPods:      "pods",
	LogsPod:         "pods",
	LogsPropose:     "propose a rule",
	RowsTable:       "show only",
	ZonesState:      "show only",
	MatrixOnly:      "show only",
	RowOwner:        "the policy or rule",
	PlanOpen:        "the policy or rule",
	FindingsPolicy:  "the policy or rule",
	ActivityPolicy:  "the policy or rule",
	FindingsOnly:    "show only",
	ActivityZone:    "next zone",
	ControllerZone:  "next zone",
	ControllerAgain: "refresh",
	ProbeAgain:      "refresh",
	DiffAgain:       "refresh",
	DiffInput:       "edit",
	ProbeAsk:        "probe",
	PlanExport:      "save",
	LadderPlan:      "arrange priorities",
	GoPlan:          "arrange priorities",
	PlanStep:        "distance",
	PlanStop:        "end the plan",
	PlanBack:        "roll back",
	Wide:            "wide, wrap",
	Wrap:            "wide, wrap",
	PreviewWhole:    "wide, wrap",
	Writes:          "allow changes",
	PolicyZones:     "zones of the policy",
	LogsLogging:     "logging",
	EditEditor:      "edit",
	LogsTime:        "clock",
	LogsBy:          "group by",
	LogsMore:        "more lines around",
	LogsLess:        "fewer lines around",
	LogsWhy:         "why nothing",
	LadderNetwork:   "network",
	TraceAsk:        "trace",
	TraceAll:        "wide, wrap",
	Find:            "find in the text",
	FindNext:        "next match",
	FindPrev:        "previous match",
	Top:             "first line",
	Bottom:          "last line",
	Down:            "down",
	SortFlip:        "reverse the sort",
	SortNext:        "sort by the next column",
	SortPrev:        "sort by the previous column",
	Palette:         "command",
	LadderLogs:      "log lines",
	PolicyLogs:      "log lines",
	RuleLogs:        "log lines",
	PodLogs:         "log lines",
	RowLogs:         "log lines",
	GoLogs:          "log",
}

// doubles are the letters that mean something else on one page, with the reason.
var doubles = map[string]string{
	"n":      "after a find in a text it goes to the next match, as in less; a text has no place for a new policy",
	"N":      "after a find in a text it goes to the previous match, as in less; a text has no place for new policies",
	"m":      "in the log it puts a marker line, as in k9s; a log has no policy to move",
	"ctrl+l": "in the log it clears the list, as a shell clears its screen; everywhere else it redraws",
}

// Meaning says in a word or two what the action is about, the same for all actions
// that share a letter.
func (a *Action) Meaning() string {
	if m := meanings[a.ID]; m != "" {
		return m
	}
	_, what, _ := strings.Cut(string(a.ID), ".")
	return strings.ReplaceAll(what, "-", " ")
}

// letter is a key that types something, or such a key with ctrl, and what it means
// where. Keys that walk, open and leave are none: enter follows the cursor on every
// page.
type letter struct {
	key   string
	means []meant
}

// meant is one meaning of a letter.
type meant struct {
	what  string
	where []Scope
}

// letters are all letters of the table, sorted. While a line is typed they are
// typed, so that the keys of Input are not among them.
func letters() []letter {
	var out []letter
	at := map[string]int{}
	for _, a := range ScopedActions() {
		for _, k := range a.Keys {
			if a.Scope == Input || !isLetter(k) {
				continue
			}
			i, ok := at[k]
			if !ok {
				i = len(out)
				at[k] = i
				out = append(out, letter{key: k})
			}
			l := &out[i]
			j := slices.IndexFunc(l.means, func(m meant) bool { return m.what == a.Meaning() })
			if j < 0 {
				j = len(l.means)
				l.means = append(l.means, meant{what: a.Meaning()})
			}
			l.means[j].where = append(l.means[j].where, a.Scope)
		}
	}
	slices.SortFunc(out, func(a, b letter) int { return cmp.Or(cmp.Compare(rank(a.key), rank(b.key)), lower(a.key, b.key)) })
	return out
}

func isLetter(key string) bool {
	return len([]rune(strings.TrimPrefix(key, "ctrl+"))) == 1
}

// rank puts letters before signs and digits, and those with ctrl last.
func rank(key string) int {
	switch r := []rune(key); {
	case len(r) > 1:
		return 2
	case unicode.IsLetter(r[0]):
		return 0
	}
	return 1
}

// lower compares without case first, a small letter before its capital.
func lower(a, b string) int {
	return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), -cmp.Compare(a, b))
}
