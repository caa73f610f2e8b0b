package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// Statement is an expectation about the connections between two sets of ends.
type Statement struct {
	FilePlace        // of the statement in its file
	Name      string // the author's name for it, may be empty
	Expect    verdict.Verdict
	// Some means that one expected connection suffices.
	Some bool
	// AllowNone makes it hold without any such connection.
	AllowNone bool
	From, To  []StatementEnd
	Ports     []verdict.PortRange
	ports     FilePlace // place of the port field
}

// FilePlace is a place in a file: a line from 1, a field as "[2].from.pod".
type FilePlace struct {
	File  string
	Line  int
	Field string
}

// String returns "expect.yaml:12: [2].from.pod".
func (p FilePlace) String() string {
	out := p.File
	if p.Line > 0 {
		out += fmt.Sprintf(":%d", p.Line)
	}
	if p.Field != "" {
		out += ": " + p.Field
	}
	return out
}

// Problem is something that cannot be read, found or asked. The rest is judged without it.
type Problem struct {
	FilePlace
	Message string
}

// Error returns the problem on one line.
func (p *Problem) Error() string { return p.FilePlace.String() + ": " + p.Message }

// SortProblems sorts problems by file, in order of appearance, and by line.
func SortProblems(problems []*Problem) {
	order := map[string]int{}
	for i, p := range problems {
		if _, ok := order[p.File]; !ok {
			order[p.File] = i
		}
	}
	slices.SortStableFunc(problems, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.Line, b.Line))
	})
}

// StatementEnd selects one end of connections, or several of a kind.
type StatementEnd struct {
	FilePlace
	// Name is an end in the form of rung trace; if empty, the fields below select ends.
	Name                                             string
	Namespace, Pod, Workload, Node, Service, Address ObjectChoice
}

// ObjectChoice chooses objects by names or by labels; the zero ObjectChoice is not made.
type ObjectChoice struct {
	FilePlace
	Names    []string
	Selector model.Selector
	// Labels are the single values that a selector requires: the labels of an imagined pod.
	Labels     map[string]string
	isSet      bool
	labelsOnly bool // the selector requires only Labels
}

func (c *ObjectChoice) byName() bool { return c.isSet && c.Names != nil }

func (c *ObjectChoice) selects(name string, labels model.Labels) bool {
	if !c.byName() {
		return !c.isSet || c.Selector.Matches(labels)
	}
	return slices.Contains(c.Names, name)
}

// selectsWorkload reports whether a workload, in the form of model.Pod.Workload, is named: "deployment/web",
// or "web" of any kind.
func (c *ObjectChoice) selectsWorkload(workload string) bool {
	_, name, _ := strings.Cut(workload, "/")
	return workload != "" && slices.ContainsFunc(c.Names, func(n string) bool {
		kind, of, kinded := strings.Cut(n, "/")
		return n == name || kinded && of == name && model.WorkloadWord(kind)+"/"+of == workload
	})
}

// String returns the choice for people: "blue, red" or "tenant=blue".
func (c *ObjectChoice) String() string {
	if c.byName() {
		return words.ListFew(c.Names, 3)
	}
	return c.Selector.String()
}

// String names the end: "blue", "pods app=web in blue", "nodes role=worker".
func (e *StatementEnd) String() string {
	switch {
	case e.Name != "":
		return e.Name
	case e.Address.isSet:
		return e.Address.String()
	case e.Node.isSet && e.Node.byName():
		return "node " + e.Node.String()
	case e.Node.isSet:
		return "nodes " + e.Node.String()
	case e.Service.isSet:
		return "service " + e.Namespace.String() + "/" + e.Service.String()
	}
	space := "namespaces " + e.Namespace.String()
	switch {
	case !e.Namespace.isSet || !e.Namespace.byName() && e.Namespace.Selector.MatchesEverything():
		space = "every namespace"
	case e.Namespace.byName():
		space = e.Namespace.String()
	}
	switch {
	case e.Workload.isSet:
		return e.Workload.String() + " in " + space
	case !e.Pod.isSet || !e.Pod.byName() && e.Pod.Selector.MatchesEverything():
		return space
	case e.Pod.byName() && e.Namespace.byName() && len(e.Namespace.Names) == 1:
		return e.Namespace.Names[0] + "/" + e.Pod.String()
	case !e.Pod.byName():
		return "pods " + e.Pod.String() + " in " + space
	}
	return e.Pod.String() + " in " + space
}

func endsText(ends []StatementEnd) string {
	return words.ListFew(model.MapList(ends, func(e StatementEnd) string { return e.String() }), 3)
}

// String returns the statement for people: "deny blue → red, TCP 80".
func (s *Statement) String() string {
	out := string(s.Expect)
	if s.Some {
		out += " some"
	}
	return fmt.Sprintf("%s %s → %s, %s", out, endsText(s.From), endsText(s.To), revision.PortsText(s.Ports))
}

// Title returns the statement's name, or its text if unnamed.
func (s *Statement) Title() string {
	return cmp.Or(s.Name, s.String())
}
