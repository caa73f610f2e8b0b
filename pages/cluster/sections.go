package cluster

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// FieldWidth is the minimum width of field names, with the space behind them.
const FieldWidth = 14

// Section is a part of the page below its title.
type Section struct {
	Title   string
	Entries []Entry
}

// Heading returns the title as a heading.
func (s *Section) Heading() page.Span { return page.Span{Text: s.Title, Role: themes.Title} }

// Entry is a named field of a section, or a paragraph without a name.
type Entry struct {
	ID   string
	Name string
	// Short is the name for narrow screens; empty if equal to Name.
	Short  string
	Sign   page.Span
	Indent int
	Value  page.Line
	// To is the name of the page to open; empty if none.
	To string
	// Copy is a command that the user can copy.
	Copy string
}

// Hints say how to allow changes and how to forbid them again: by a key or a flag.
type Hints struct{ Allow, Forbid string }

// Sections returns the facts in sections.
func (f *ClusterFacts) Sections(h Hints, now time.Time) []Section {
	out := []Section{f.placeSection(h), f.resourceSection(now)}
	if f.isCluster() {
		out = append(out, f.permissionSection())
	}
	if len(f.Settings) > 0 {
		out = append(out, f.settingsSection())
	}
	return out
}

// NameWidth returns the width of the field names, short or full, with their signs and the space behind them.
func (s *Section) NameWidth(short bool) int {
	w := FieldWidth
	for i := range s.Entries {
		e := &s.Entries[i]
		name := e.NameIn(short)
		if name == "" {
			continue
		}
		if e.Sign.Text != "" {
			name = e.Sign.Text + " " + name
		}
		w = max(w, utf8.RuneCountInString(name)+2)
	}
	return w
}

// NameIn returns the short or full name.
func (e *Entry) NameIn(short bool) string {
	if short && e.Short != "" {
		return e.Short
	}
	return e.Name
}

// placeSection returns the section about the cluster, the user, and what Rung does there.
func (f *ClusterFacts) placeSection(h Hints) Section {
	s := Section{Title: "cluster"}
	field := func(id, name, to string, value ...page.Span) {
		if len(value) > 0 && value[0].Text != "" {
			s.Entries = append(s.Entries, Entry{ID: id, Name: name, Value: value, To: to})
		}
	}
	if f.isCluster() {
		field("context", "context", "contexts", page.Span{Text: f.Title})
		field("server", "API server", "", page.Span{Text: f.Server})
		field("user", "user", "", page.Span{Text: f.User})
	} else {
		s.Title = "no cluster"
		from := f.Title
		if f.Mode == "demo" {
			from = "the built-in demo"
		}
		s.Entries = append(s.Entries, Entry{ID: "none", Sign: page.Span{Text: words.Noted, Role: themes.Info}, To: "contexts",
			Value: page.Line{{Text: "Policies and pods come from " + from + ", not from an API server. rung without -f runs on the current " +
				"kubeconfig context.", Role: themes.Text}}})
	}
	switch {
	case f.WhyNoRows != "":
		field("rows", "rows", "", page.Span{Text: "none, and no zones: " + f.WhyNoRows, Role: themes.Text})
	case f.RowsBy != "":
		field("rows", "rows", "zones", f.rowsText()...)
	}
	field("changes", "changes", "", f.changesText(h)...)
	field("pods", "pods", "", page.Span{Text: f.podsText, Role: themes.Text})
	if f.isCluster() {
		return s
	}
	for _, src := range f.Sources {
		sign := connSign(src.Conn)
		field("source."+src.Name, src.Name, "", page.Span{Text: sign.Text + " " + string(src.Conn), Role: sign.Role},
			page.Span{Text: "  " + src.Detail, Role: themes.Text})
		if src.Error != "" {
			s.Entries = append(s.Entries, Entry{ID: "source.error." + src.Name, Indent: FieldWidth, Sign: page.Span{Text: words.Failed,
				Role: themes.Error},
				Value: page.Line{{Text: src.Error, Role: themes.Text}}})
		}
	}
	return s
}

// rowsText says whether OVN-Kubernetes or Rung writes the rows.
func (f *ClusterFacts) rowsText() page.Line {
	switch {
	case f.mode.Sandbox:
		return page.Line{{Text: "written by Rung, in the sandbox's own zones", Role: themes.Text}}
	case f.mode.Reconciles:
		return page.Line{{Text: "WRITTEN BY RUNG (--reconcile)", Role: themes.Warn},
			{Text: " unless another writer owns them", Role: themes.Text}}
	}
	by := "OVN-Kubernetes' controller writes them, this Rung does not; --reconcile would"
	if f.named > 0 {
		by = fmt.Sprintf("NB_Global names rung reconcile as their writer in %d of %s: %s", f.named, words.Count(f.zones, "zone"),
			words.ListSome(f.Writers, 3))
	}
	return page.Line{{Text: "observed", Role: themes.OK}, {Text: "  " + by, Role: themes.Dim}}
}

// changesText describes whether policies can be changed now, and how to allow it.
func (f *ClusterFacts) changesText(h Hints) page.Line {
	switch {
	case f.Changes.Allowed:
		text := "after a preview and a confirmation"
		text += words.Between("; ", h.Forbid, "")
		return page.Line{{Text: "ALLOWED", Role: themes.Warn}, {Text: "  " + text, Role: themes.Dim}}
	case f.Changes.WhyNot != "":
		return page.Line{{Text: "never", Role: themes.OK}, {Text: "  " + f.Changes.WhyNot, Role: themes.Dim}}
	}
	return page.Line{{Text: "off: read-only", Role: themes.OK}, {Text: "  " + h.Allow, Role: themes.Dim}}
}

// connSign returns the sign for a connection's state. The word always accompanies it.
func connSign(c model.ConnState) page.Span {
	switch c {
	case model.ConnSynced, model.ConnReadOnly:
		return page.Span{Text: words.Yes, Role: themes.OK}
	case model.ConnDenied:
		return page.Span{Text: words.No, Role: themes.Error}
	case model.ConnLost:
		return page.Span{Text: words.Failed, Role: themes.Error}
	case model.ConnAbsent:
		return page.Span{Text: words.Gone, Role: themes.Warn}
	}
	return page.Span{Text: words.Working, Role: themes.Info}
}

// resourceSection returns the section about how each resource is read: for one in trouble, the error and what
// to do.
func (f *ClusterFacts) resourceSection(now time.Time) Section {
	if !f.isCluster() {
		s := Section{Title: "objects read"}
		for _, x := range f.Resources {
			e := Entry{ID: "resource." + x.Name, Name: x.Name, Sign: connSign(x.Conn),
				Value: page.Line{{Text: words.Count(x.Count, "object"), Role: themes.Text}}, To: resourcePage(x.Kind)}
			if x.Count == 0 {
				e.Sign.Role, e.Value = themes.Dim, page.Line{{Text: "none", Role: themes.Dim}}
			}
			s.Entries = append(s.Entries, e)
		}
		return s
	}
	s := Section{Title: "resources of the API server"}
	for _, src := range f.Sources {
		if len(src.Resources) > 0 {
			continue
		}
		text := src.Name + ": " + string(src.Conn)
		text += words.Between(": ", src.Error, "")
		s.Entries = append(s.Entries, Entry{ID: "source." + src.Name, Sign: connSign(src.Conn),
			Value: page.Line{{Text: text, Role: themes.Text}}})
	}
	for i := range f.Resources {
		x := &f.Resources[i]
		// A dead server has the same error for all resources: show it once.
		again := i+1 < len(f.Resources) && f.Resources[i+1].Error == x.Error && f.Resources[i+1].Conn == x.Conn &&
			f.Resources[i+1].source == x.source
		s.Entries = append(s.Entries, x.entry(now))
		if x.Error != "" && !again && (x.Conn != model.ConnAbsent || !x.Optional) {
			s.Entries = append(s.Entries, Entry{ID: "resource.error." + x.Name, Indent: 4, Sign: page.Span{Text: words.Failed, Role: themes.Error},
				Value: page.Line{{Text: x.Error + x.attemptsText(" (", ")"), Role: themes.Text}}})
		}
	}
	for _, text := range f.Newer {
		s.Entries = append(s.Entries, Entry{ID: "newer." + text, Sign: page.Span{Text: words.Warned, Role: themes.Warn},
			Value: page.Line{{Text: text, Role: themes.Text}}})
	}
	return s
}

// entry returns the entry that says how the resource is read.
func (x *ResourceFacts) entry(now time.Time) Entry {
	sign := connSign(x.Conn)
	if x.Conn == model.ConnAbsent && x.Optional {
		sign.Role = themes.Dim
	}
	l := page.Line{{Text: string(x.Conn), Role: sign.Role}}
	add := func(text string, role page.Role) { l = append(l, page.Span{Text: text, Role: role}) }
	if x.Conn == model.ConnSynced {
		add("  "+words.Count(x.Count, "object"), themes.Text)
	} else if !x.At.IsZero() {
		add(" since "+words.Clock(x.At.Time, now)+" ("+words.Age(now.Sub(x.At.Time))+")", themes.Text)
	}
	if x.Conn != model.ConnSynced && x.Count > 0 {
		add("  had "+words.Count(x.Count, "object"), themes.Dim)
	}
	if x.Error == "" { // else the attempts are shown with the error
		add(x.attemptsText("  ", ""), themes.Dim)
	}
	if x.Optional && x.Conn == model.ConnAbsent {
		add("  (optional)", themes.Dim)
	}
	short, _, _ := strings.Cut(x.Name, ".")
	return Entry{ID: "resource." + x.Name, Name: x.Name, Short: short, Sign: sign, Value: l, To: resourcePage(x.Kind)}
}

// attemptsText returns the number of failed attempts if there are several.
func (x *ResourceFacts) attemptsText(before, after string) string {
	if x.Attempts < 2 {
		return ""
	}
	return before + words.Count(x.Attempts, "failed attempt") + after
}

// resourcePage returns the page that shows objects of a kind.
func resourcePage(k model.Kind) string {
	switch {
	case k.IsPolicy():
		return "ladder"
	case k == model.KindNode:
		return "zones"
	}
	return ""
}

// permissionSection returns the section about permissions: refusals first, each with its consequence and the
// command to check it.
func (f *ClusterFacts) permissionSection() Section {
	s := Section{Title: "what the API server allows you to do"}
	add := func(id string, indent int, sign page.Span, text string, role page.Role, command string) {
		s.Entries = append(s.Entries, Entry{ID: id, Indent: indent, Sign: sign, Value: page.Line{{Text: text, Role: role}}, Copy: command})
	}
	if !f.Answered {
		add("permissions", 0, page.Span{Text: words.Working, Role: themes.Info}, "not answered yet; nothing is blocked meanwhile", themes.Text,
			"")
	}
	for i := range f.Permissions {
		p := &f.Permissions[i]
		id := "permission." + p.Resource + "." + p.Namespace + "." + p.Verbs[0]
		what := strings.Join(p.Verbs, ", ") + " " + p.Resource
		what += words.Between(" in ", p.Namespace, "")
		switch {
		case p.Allowed:
			add(id, 0, page.Span{Text: words.Yes, Role: themes.OK}, "yes: "+what, themes.Text, p.Command)
		case p.NotNeeded:
			add(id, 0, page.Span{Text: "–", Role: themes.Dim}, "no: "+what+": not needed, allowed in the other namespace", themes.Dim, p.Command)
		default:
			text := "no: " + what
			text += words.Between(": ", p.Why, "")
			add(id, 0, page.Span{Text: words.No, Role: themes.Error}, text+" → "+p.Without, themes.Text, p.Command)
			add(id+".command", 4, page.Span{Text: "$", Role: themes.Dim}, p.Command, themes.CodeText, p.Command)
		}
	}
	return s
}

// settingsSection returns the section about OVN-Kubernetes' settings in most zones, with their sources.
func (f *ClusterFacts) settingsSection() Section {
	s := Section{Title: "OVN-Kubernetes configuration · in most zones"}
	for _, x := range f.Settings {
		text := "  by " + x.Source
		text += words.Between(": ", x.Evidence, "")
		s.Entries = append(s.Entries, Entry{ID: "setting." + x.Name, Name: x.Name,
			Value: page.Line{{Text: x.Value}, {Text: text, Role: themes.Dim}}})
	}
	return s
}
