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
	"rung/model/words"
)

// Query selects the lines for which every term holds. The zero value selects all.
type Query struct {
	terms []queryTerm
}

// queryTerm is one condition. It holds if any of its tests holds; isNegated inverts the condition.
type queryTerm struct {
	isNegated bool
	field     string // empty for a term about the text
	tests     []lineTest
}

type lineTest func(*QueryLine) bool

// Error describes an invalid term.
type Error struct {
	Term string // as written
	Why  string
	// Open is true if more typing may complete the term.
	Open bool
}

// Error returns the term and its problem in one line.
func (e *Error) Error() string {
	t := e.Term
	if r := []rune(t); len(r) > 40 {
		t = string(r[:39]) + "…"
	}
	return strings.TrimSuffix(t, ":") + ": " + e.Why
}

// maxText is the maximum length of an expression, in bytes.
const maxText = 1000

// Parse parses an expression. The query has all usable terms; err is the first faulty one, an *Error. Other
// words are searched in the text: as regular expressions, or literally if they are none. Clock times are in
// now's location, and before now.
func Parse(text string, now time.Time) (Query, error) {
	var q Query
	var first *Error
	fail := func(e *Error) {
		if e != nil && (first == nil || first.Open && !e.Open) {
			first = e
		}
	}
	if len(text) > maxText {
		text = cmp.Or(strings.ToValidUTF8(text[:maxText], ""), "\ufffd") // empty if no byte is valid text
		fail(&Error{Term: text, Why: fmt.Sprintf("too long: at most %d characters", maxText)})
	}
	not := false
	var before string // a "not" without its term so far
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
		fail(&Error{Term: before, Why: "a term must follow", Open: true})
	}
	if first == nil {
		return q, nil
	}
	return q, first
}

// parseTerm parses one word without its not; nil if it cannot be used.
func parseTerm(word string, open bool, now time.Time) (*queryTerm, *Error) {
	switch word[0] {
	case '"':
		err := words.Choose(open, &Error{Term: word, Why: `the closing " is missing`, Open: true}, nil)
		return textTerm(unquoteValue(word)), err
	case '/':
		return regexTerm(word, open)
	}
	if name, value, ok := splitField(word); ok {
		if f := findField(name); f != nil {
			return f.parseTerm(word, value, open, now)
		}
		if _, err := netip.ParseAddr(word); err != nil && strings.ToLower(name) == name {
			return nil, &Error{Term: name + ":", Why: "no such field; " + suggestField(name)}
		}
	}
	return bareTerm(word)
}

// textTerm searches a text literally. Case counts only if it has an upper-case letter. Arrows copied from the
// screen match those in texts.
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

// regexTerm parses /regex/.
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

// bareTerm searches a word as every filter of the console does: as a regular expression if valid.
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

// ShowsAll reports whether the query selects every line.
func (q *Query) ShowsAll() bool { return len(q.terms) == 0 }

// QueryLine is a log line with everything a query can test.
type QueryLine struct {
	*Line
	// Rule is the deciding rule, as far as known; RuleName its own name.
	Rule     RuleRef
	RuleName string
	// Unit is the compiled unit of a row without a policy: "default deny of blue, ingress".
	Unit     string
	Src, Dst LineEnd
	// Text returns the text for words and regular expressions, made on demand.
	Text func() string
}

// LineEnd is one end of the connection.
type LineEnd struct {
	Key  model.Key // zero if no object of the cluster has the address
	Addr string
	Note string // "outside", "gone"
}

// MatchLine reports whether the query selects a line.
func (q *Query) MatchLine(l *QueryLine) bool {
	return !slices.ContainsFunc(q.terms, func(t queryTerm) bool { return !t.holdsFor(l) })
}

// IsTextOnly reports whether only the text of a line matters: its other fields may be left out.
func (q *Query) IsTextOnly() bool {
	return !slices.ContainsFunc(q.terms, func(t queryTerm) bool { return t.field != "" })
}

func (t *queryTerm) holdsFor(l *QueryLine) bool {
	return slices.ContainsFunc(t.tests, func(test lineTest) bool { return test(l) }) != t.isNegated
}

// MatchGap reports whether a gap, where lines may be missing, is shown. Only terms about node and time count,
// since the missing lines may be of any policy.
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

// objectName returns an end's pod, node or Service; empty if no object has the address.
func (d *LineEnd) objectName() string {
	switch d.Key.Kind {
	case "":
		return ""
	case model.KindNode:
		return "node " + d.Key.Name
	}
	return d.Key.Namespace + "/" + d.Key.Name
}
