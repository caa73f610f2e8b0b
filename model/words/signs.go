package words

import (
	"regexp"
	"slices"
	"strings"
)

// Signs of states. All look different, in either form.
const (
	Yes       = "✓"
	No        = "✗"
	Live      = "●"
	Failed    = "■"
	Warned    = "▲"
	Noted     = "◇"
	Waiting   = "○"
	Working   = "◐"
	Unknown   = "?"
	Stale     = "◌"
	Gone      = "∅"
	Differs   = "≠"
	Unmatched = "≡"
	Tied      = "="
	Mixed     = "±"
	Near      = "≈"
	Changed   = "Δ"
	Passed    = "»"
	Barred    = "□"
	Frozen    = "▣"
	Remedy    = "↳"
)

// Signs of positions, and of a line's subject.
const (
	Cursor   = "▸"
	Resting  = "▌"
	Folded   = "▷"
	Unfolded = "▽"
	Here     = "•"
	Free     = "┊"
	Group    = "◦"
	Late     = "†"
	Carried  = "◆"
)

// SignKind is the use of a sign.
type SignKind int

const (
	State SignKind = iota // a state
	Mark                  // a position, or a line's subject
	Code                  // letters with a meaning, as "A:" on the ladder
	Punct                 // between words: arrows, dashes, quotes
	Drawn                 // lines, boxes and bars
)

// Sign is one entry of the table.
type Sign struct {
	Name string // the name of its constant
	Text string
	// ASCII replaces Text with --ascii, in the same cell.
	ASCII   string
	Meaning string
	Kind    SignKind
}

// Signs has every sign.
var Signs = []Sign{
	{"Yes", Yes, "V", "yes: allowed, done, or as it should be", State},
	{"No", No, "X", "no: denied, rejected, or without effect", State},
	{"Live", Live, "*", "good and current: read, followed, in use", State},
	{"Failed", Failed, "E", "an error: it failed, or does not exist", State},
	{"Warned", Warned, "!", "a warning", State},
	{"Noted", Noted, "i", "a note", State},
	{"Waiting", Waiting, "o", "waits, or is not there yet", State},
	{"Working", Working, "%", "under way: being read, written or settled", State},
	{"Unknown", Unknown, "?", "not known", State},
	{"Stale", Stale, "s", "as it was read last: not followed now", State},
	{"Gone", Gone, "0", "no longer there, or attached to nothing", State},
	{"Differs", Differs, "#", "differs from what is desired, or two disagree", State},
	{"Unmatched", Unmatched, "]", "written by another release: not comparable", State},
	{"Tied", Tied, "=", "shares its priority with others", State},
	{"Mixed", Mixed, "&", "some are allowed, some denied", State},
	{"Near", Near, "/", "says nearly the same", State},
	{"Changed", Changed, "d", "changed", State},
	{"Passed", Passed, "P", "passes on to the next tier", State},
	{"Barred", Barred, "R", "stopped by a guard rail", State},
	{"Frozen", Frozen, "F", "frozen: OVN still enforces old rows", State},
	{"Remedy", Remedy, "\\", "what to do about it", State},

	{"Cursor", Cursor, ">", "the cursor", Mark},
	{"Resting", Resting, ")", "the cursor of the part that does not have the keys", Mark},
	{"Folded", Folded, "}", "has parts, not shown", Mark},
	{"Unfolded", Unfolded, "{", "has parts, shown below", Mark},
	{"Here", Here, "$", "this one: found by the search, marked, or the one shown", Mark},
	{"Free", Free, ":", "free priorities", Mark},
	{"Group", Group, "`", "rows of tier 2 that belong to no policy", Mark},
	{"Late", Late, "t", "decides ingress only after an egress Allow", Mark},
	{"Carried", Carried, "@", "the policy being carried to another priority", Mark},

	{"", "A:", "A:", "the log level of rules that allow", Code},
	{"", "D:", "D:", "the log level of rules that deny", Code},
	{"", "1A", "1A", "how many rules allow", Code},
	{"", "1D", "1D", "how many rules deny", Code},
	{"", "1P", "1P", "how many rules pass on to the next tier", Code},

	{"", "…", "~", "more follows", Punct},
	{"", "→", ">", "to, becomes", Punct},
	{"", "←", "<", "from, back", Punct},
	{"", "↑", "^", "upwards: smallest first", Punct},
	{"", "↓", "v", "downwards: largest first", Punct},
	{"", "›", ">", "a step of the way here", Punct},
	{"", "·", ".", "and", Punct},
	{"", "–", "-", "none; or from, to", Punct},
	{"", "—", "-", "a pause", Punct},
	{"", "−", "-", "less, removed", Punct},
	{"", "×", "x", "times", Punct},
	{"", "⏎", "^", "the enter key", Punct},
	{"", "“", `"`, "quote", Punct}, {"", "”", `"`, "end of quote", Punct}, {"", "‘", "'", "quote", Punct},
	{"", "’", "'", "end of quote", Punct},

	{"", "─", "-", "line", Drawn}, {"", "━", "-", "line", Drawn}, {"", "│", "|", "line", Drawn}, {"", "┃", "|", "line", Drawn},
	{"", "┌", "+", "first of several", Drawn}, {"", "├", "+", "one of several", Drawn}, {"", "└", "+", "last of several", Drawn},
	{"", "┐", "+", "corner", Drawn}, {"", "┘", "+", "corner", Drawn}, {"", "┤", "+", "corner", Drawn}, {"", "┬", "+", "corner", Drawn},
	{"", "┴", "+", "corner", Drawn}, {"", "┼", "+", "corner", Drawn}, {"", "╭", "+", "corner", Drawn}, {"", "╮", "+", "corner", Drawn},
	{"", "╯", "+", "corner", Drawn}, {"", "╰", "+", "corner", Drawn},
	{"", "▁", "_", "bar", Drawn}, {"", "▂", "_", "bar", Drawn}, {"", "▃", ".", "bar", Drawn}, {"", "▄", "-", "bar", Drawn},
	{"", "▅", "-", "bar", Drawn}, {"", "▆", "^", "bar", Drawn}, {"", "▇", "|", "bar", Drawn}, {"", "█", "|", "bar", Drawn},
	{"", "░", ".", "bar", Drawn},
}

// SignsIn returns the legend of a text: the signs of states and marks, and the letters, that it shows, in the
// order of Signs.
func SignsIn(text string) (out []Sign) {
	for _, s := range Signs {
		switch {
		case s.Kind > Code:
		case s.Kind == Code && codePattern(s.Text).MatchString(text), s.Kind < Code && isStandalone(s.Text, text):
			out = append(out, s)
		}
	}
	return out
}

// codePattern matches letters with a meaning: "A:" before a word, "1A" with any number.
func codePattern(code string) *regexp.Regexp {
	if letter, ok := strings.CutPrefix(code, "1"); ok {
		return regexp.MustCompile(`(?m)(^|\s)[0-9]+` + letter + `\b`)
	}
	return regexp.MustCompile(`\b` + code + `[a-z]`)
}

// isStandalone reports whether a sign is in a text. A sign that is also a letter must stand alone.
func isStandalone(sign, text string) bool {
	if sign[0] >= 0x80 {
		return strings.Contains(text, sign)
	}
	for line := range strings.Lines(text) {
		if slices.Contains(strings.Fields(line), sign) {
			return true
		}
	}
	return false
}
