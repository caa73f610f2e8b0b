package logline

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"rung/model"
)

// Query decides which lines are shown: those for which every term holds. The zero value
// shows all.
type Query struct {
	terms []queryTerm
}

// queryTerm is one condition; any of its tests is enough for it to hold.
type queryTerm struct {
	isNegated bool
	field     string // empty for a term about the text
	tests     []lineTest
}

type lineTest func(*QueryLine) bool

// Error is a term that cannot be read.
type Error struct {
	Term string // as it was written
	Why  string
	// Open says that the term is only not finished, as every term is while it is typed.
	Open bool
}

// Error names the term and says in one line what is wrong with it.
func (e *Error) Error() string {
	t := e.Term
	if r := []rune(t); len(r) > 40 {
		t = string(r[:39]) + "…"
	}
	return strings.TrimSuffix(t, ":") + ": " + e.Why
}

// maxText bounds an expression, in bytes.
const maxText = 1000

// Parse reads an expression. The query has all terms that can be read; err is the first
// that cannot, and an *Error. A word that is no term is looked for in the text: as a
// regular expression, where it is none as it is written. Clock times are those of now's
// location, and lie before it.
func Parse(text string, now time.Time) (Query, error) {
	var q Query
	var first *Error
	fail := func(e *Error) {
		if e != nil && (first == nil || first.Open && !e.Open) {
			first = e
		}
	}
	if len(text) > maxText {
		text = cmp.Or(strings.ToValidUTF8(text[:maxText], ""), "\ufffd") // nothing of it may be text
		fail(&Error{Term: text, Why: fmt.Sprintf("too long: at most %d characters", maxText)})
	}
	not := false
	var before string // the "not" that waits for its term
	for _, tok := range splitWords(text) {
		word := tok.text
		if word == "not" || word == "!" {
			not, before = !not, word
			continue
		}
		if rest, ok := strings.CutPrefix(word, "!"); ok {
			not, word = !not, rest
		}
		t, err := parseTerm(word, tok.isUnfinished, now)
		fail(err)
		if t != nil {
			t.isNegated = not
			q.terms = append(q.terms, *t)
		}
		not, before = false, ""
	}
	if before != "" {
		fail(&Error{Term: before, Why: "a term has to follow", Open: true})
	}
	if first == nil {
		return q, nil
	}
	return q, first
}

// parseTerm reads one word without its not; a term that cannot be used is nil.
func parseTerm(word string, open bool, now time.Time) (*queryTerm, *Error) {
	switch word[0] {
	case '"':
		var err *Error
		if open {
			err = &Error{Term: word, Why: `the closing " is missing`, Open: true}
		}
		return textTerm(unquoteValue(word)), err
	case '/':
		return regexTerm(word, open)
	}
	if name, value, ok := splitField(word); ok {
		if f := fieldOf(name); f != nil {
			return f.parseTerm(word, value, open, now)
		}
		if _, err := netip.ParseAddr(word); err != nil && strings.ToLower(name) == name {
			return nil, &Error{Term: name + ":", Why: "no such field; " + suggestField(name)}
		}
	}
	return bareTerm(word)
}

// textTerm looks for a text as it is written. Case counts only when there is an
// upper-case letter. An arrow that was copied from the screen is written as texts have it.
func textTerm(s string) *queryTerm {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "→", ">"), "->", ">")
	if s == "" {
		return nil
	}
	fold := strings.IndexFunc(s, unicode.IsUpper) < 0
	return &queryTerm{tests: []lineTest{func(l *QueryLine) bool {
		text := l.Text()
		if fold {
			text = strings.ToLower(text)
		}
		return strings.Contains(text, s)
	}}}
}

// regexTerm reads /regex/.
func regexTerm(word string, open bool) (*queryTerm, *Error) {
	expr := word[1:]
	if open {
		if expr == "" {
			return nil, &Error{Term: word, Why: "a regular expression ends with /", Open: true}
		}
	} else {
		expr = expr[:len(expr)-1]
	}
	t, why := regexpTerm(strings.ReplaceAll(expr, `\/`, `/`))
	switch {
	case why != "":
		return nil, &Error{Term: word, Why: why, Open: open}
	case open:
		return t, &Error{Term: word, Why: "a regular expression ends with /", Open: true}
	}
	return t, nil
}

// bareTerm looks for a word as every filter of the console does: as a regular expression
// where it is one.
func bareTerm(word string) (*queryTerm, *Error) {
	if regexp.QuoteMeta(word) == word || word == "->" {
		return textTerm(word), nil
	}
	t, why := regexpTerm(word)
	if why != "" {
		return textTerm(word), &Error{Term: word, Why: why + ", taken literally"}
	}
	return t, nil
}

// regexpTerm makes a term of a regular expression; why says what is wrong with it.
func regexpTerm(expr string) (t *queryTerm, why string) {
	if expr == "" {
		return nil, ""
	}
	if strings.IndexFunc(expr, unicode.IsUpper) < 0 {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	return &queryTerm{tests: []lineTest{func(l *QueryLine) bool { return re.MatchString(l.Text()) }}}, ""
}

// ShowsAll says whether the query shows everything.
func (q *Query) ShowsAll() bool { return len(q.terms) == 0 }

// Line is a log line as a query sees it.
type QueryLine struct {
	*Line
	// Rule is the rule that decided, as far as it is known, RuleName its own name.
	Rule     RuleRef
	RuleName string
	// Unit is the unit that the row was compiled for where it is no policy: "default deny
	// of blue, ingress".
	Unit     string
	Src, Dst LineEnd
	// Text returns the text that words and regular expressions look at; it is only made
	// where one does.
	Text func() string
}

// LineEnd is one end of the connection.
type LineEnd struct {
	Key  model.Key // zero where nobody in the cluster has the address
	Addr string
	Note string // "outside", "gone"
}

// MatchLine says whether a line is shown.
func (q *Query) MatchLine(l *QueryLine) bool {
	for i := range q.terms {
		if !q.terms[i].holdsFor(l) {
			return false
		}
	}
	return true
}

// IsTextOnly says whether nothing but the text of a line decides: its other fields may be
// left out.
func (q *Query) IsTextOnly() bool {
	return !slices.ContainsFunc(q.terms, func(t queryTerm) bool { return t.field != "" })
}

func (t *queryTerm) holdsFor(l *QueryLine) bool {
	for _, test := range t.tests {
		if test(l) {
			return !t.isNegated
		}
	}
	return t.isNegated
}

// MatchGap says whether a place where lines may be missing is shown: only terms about
// the node and the time leave it out, since the lines may have been of any policy.
func (q *Query) MatchGap(node string, at time.Time) bool {
	l := QueryLine{Line: &Line{Zone: node, At: at}}
	for i := range q.terms {
		switch t := &q.terms[i]; t.field {
		case "node", "since", "until":
			if !t.holdsFor(&l) {
				return false
			}
		}
	}
	return true
}

// objectName is an end's pod, node or Service, empty where
// none has the address.
func (d *LineEnd) objectName() string {
	switch d.Key.Kind {
	case "":
		return ""
	case model.KindNode:
		return "node " + d.Key.Name
	}
	return d.Key.Namespace + "/" + d.Key.Name
}
