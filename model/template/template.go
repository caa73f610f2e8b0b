package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/model/words"
)

// Template is a pattern of policies.
type Template struct {
	Name string
	For  string // what it is for, in one line
	// Questions in the order in which they are asked.
	Questions []Question

	// priorities is how many the set takes, and slots say which of them a part has, the first
	// where they do not; parts are its policies by the answers; make makes them.
	priorities int
	slots      map[string]int
	parts      func(Answers) []string
	make       func(*setMaker) error
}

// AnswerKind says what an answer is.
type AnswerKind string

// The kinds of answers.
const (
	LabelKey   AnswerKind = "label"      // the key of a label of namespaces
	Values     AnswerKind = "values"     // values of that label, with commas between
	Namespaces AnswerKind = "namespaces" // a selector of namespaces
	Pods       AnswerKind = "pods"       // a selector of pods
	Ports      AnswerKind = "ports"      // 80, 8000-8100, 53/UDP, with commas between
	Priorities AnswerKind = "priorities" // places, one or more, ascending, with commas between
	OneOf      AnswerKind = "one of"     // one of the choices that are offered
	Name       AnswerKind = "name"       // of the set
)

// forms say how an answer of each kind is written.
var forms = map[AnswerKind]string{
	LabelKey:   "the key of a label: tenant",
	Values:     "values with commas between: blue,green",
	Namespaces: "labels of namespaces: tenant=blue, team in (a,b), name=shop for one by its name, all for every namespace",
	Pods:       "labels of pods: app=web, quarantine=true",
	Ports:      "ports with commas between: 80, 8000-8100, 53/UDP; any for every port",
	Priorities: "free priorities, ascending, with commas between: 40,43; where policies stand in tiers: application/5,application/6",
	OneOf:      "one of those that are offered",
	Name:       "a name such as tenant-isolation",
}

// Form is how an answer of the kind is written.
func (k AnswerKind) Form() string { return forms[k] }

// Question is something a template has to know.
type Question struct {
	Name string // of the answer
	Ask  string // what people are asked
	Kind AnswerKind
	// Extra says that the question is not asked: the first choice offered is taken unless
	// another answer is given.
	Extra bool
	// Empty says that no answer is one.
	Empty bool
	offer func(*World, Answers) []Choice
}

// Choice is an answer that is offered, with what it means here.
type Choice struct{ Value, Note string }

// Answers by the names of their questions.
type Answers map[string]string

// Question finds a question by its name.
func (t *Template) Question(name string) *Question {
	i := slices.IndexFunc(t.Questions, func(q Question) bool { return q.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Questions[i]
}

// AskedQuestions are the questions that people are asked.
func (t *Template) AskedQuestions() (out []Question) {
	for _, q := range t.Questions {
		if !q.Extra {
			out = append(out, q)
		}
	}
	return out
}

// OfferedChoices lists answers to a question, the best first, by the answers that were given before.
func (q *Question) OfferedChoices(w *World, a Answers) []Choice {
	if q.offer == nil {
		return nil
	}
	return q.offer(w, a)
}

// FirstChoice is the answer that is offered first, empty where nothing is.
func (q *Question) FirstChoice(w *World, a Answers) string {
	if all := q.OfferedChoices(w, a); len(all) > 0 {
		return all[0].Value
	}
	return ""
}

// MissingError names the questions that have no answer.
type MissingError struct {
	Template  *Template
	Questions []Question
	Offers    []string // what is offered for each, empty for nothing
}

func (e *MissingError) Error() string {
	var names []string
	for i, q := range e.Questions {
		name := q.Name
		if e.Offers[i] != "" {
			name += " (for example " + e.Offers[i] + ")"
		}
		names = append(names, name)
	}
	return fmt.Sprintf("template %s needs %s: %s", e.Template.Name, words.OneOrMany(len(names), "an answer", "answers"), strings.Join(names, ", "))
}

// AllTemplates are the templates there are.
func AllTemplates() []*Template { return slices.Clone(templates) }

var templates = []*Template{isolation, defaultDeny, monitoring, quarantine, breakGlass, baseline, delegate}

// FindTemplate finds a template by its name, nil for none.
func FindTemplate(name string) *Template {
	for _, t := range templates {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// TemplateNames returns the names of all templates.
func TemplateNames() (out []string) {
	for _, t := range templates {
		out = append(out, t.Name)
	}
	return out
}

// CompleteAnswers checks answers and adds those of extras. Where one is missing the error is a
// MissingError. With offered, the first choice offered is taken for a missing answer.
func (t *Template) CompleteAnswers(w *World, given Answers, offered bool) (Answers, error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if t.Question(name) == nil {
			var names []string
			for _, q := range t.Questions {
				names = append(names, q.Name)
			}
			return nil, fmt.Errorf("template %s does not ask for %q; it asks for %s", t.Name, name, strings.Join(names, ", "))
		}
	}
	out, missing := Answers{}, &MissingError{Template: t}
	for i := range t.Questions {
		q := &t.Questions[i]
		text, ok := given[q.Name]
		if !ok || strings.TrimSpace(text) == "" && !q.Empty {
			first := q.FirstChoice(w, out)
			if !q.Extra && !offered || first == "" && !q.Empty && q.Kind != Name {
				missing.Questions, missing.Offers = append(missing.Questions, *q), append(missing.Offers, first)
				out[q.Name] = first // what is offered for the next depends on it
				continue
			}
			text = first
		}
		checked, err := t.CheckAnswer(w, q, text, out)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", q.Name, text, err)
		}
		out[q.Name] = checked
	}
	if len(missing.Questions) > 0 {
		return nil, missing
	}
	return out, nil
}
