package revision

import (
	"cmp"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
)

// Unread describes objects whose present state is unknown. A zero count then says nothing, and a page shows
// "unknown" with this text.
type Unread struct {
	// Kinds are the unread kinds, or empty for a source that has not listed its kinds.
	Kinds []model.Kind
	// Sources are the names of incomplete sources.
	Sources []string
	// Objects counts the objects read from these sources so far.
	Objects int
	// IsReading means that the rest is being read and nothing failed.
	IsReading bool
	// IsPartial means that some objects were never read. Otherwise all were read once, and are shown as they
	// were then.
	IsPartial bool
	// readBefore means that all Kinds were read before.
	readBefore bool
	// Error is the first error, empty while reading.
	Error string
}

// Unread returns the unread part of some kinds, nil if all are up to date. A kind is unread if its server
// refuses it, is lost, or has not sent it yet. Without kinds it asks about all objects that affect
// connections; these must also be checked.
func (r *Revision) Unread(kinds ...model.Kind) *Unread {
	if len(r.Sources) == 0 && !r.Loaded && r.Cluster.IsEmpty() {
		return &Unread{IsReading: true, IsPartial: true} // nothing has begun yet
	}
	u, missing, failed := &Unread{readBefore: true}, false, false
	note := func(c model.ConnState, name, why string) {
		missing = true
		u.Sources = model.AppendNew(u.Sources, name)
		if why != "" || !isBeingRead(c) {
			if !failed {
				u.Error = why
			}
			failed = true
		}
	}
	for i := range r.Sources {
		src := &r.Sources[i]
		switch {
		case src.HasNoObjects:
		case len(src.Resources) == 0 && !isRead(src.Conn):
			note(src.Conn, src.Name, src.Error)
			if src.ReadAt.IsZero() || isBeingRead(src.Conn) {
				u.IsPartial, u.readBefore = true, false
			}
		}
		for j := range src.Resources {
			res := &src.Resources[j]
			if !r.isAsked(res.Kind, kinds) || isRead(res.Conn) {
				u.Objects += res.Count
				continue
			}
			u.Objects += res.Count
			note(res.Conn, src.Name, res.Error)
			u.Kinds = model.AppendNew(u.Kinds, res.Kind)
			if res.WasRead || res.Count > 0 {
				continue
			}
			u.readBefore = false
			if len(kinds) > 0 || !res.Optional || isBeingRead(res.Conn) {
				u.IsPartial = true // an optional kind is not needed to judge
			}
		}
	}
	u.IsReading = !failed
	if !missing && len(kinds) == 0 && !r.Loaded && len(r.Sources) > 0 {
		missing, u.IsPartial = true, true // read, but not checked yet
	}
	if !missing {
		return nil
	}
	return u
}

// NeverRead returns Unread if some objects were never read: a missing object may exist. Else, and for a nil r,
// it is nil.
func (r *Revision) NeverRead(kinds ...model.Kind) *Unread {
	if r == nil {
		return nil
	}
	if u := r.Unread(kinds...); u != nil && u.IsPartial {
		return u
	}
	return nil
}

func (r *Revision) isAsked(k model.Kind, kinds []model.Kind) bool {
	switch {
	case len(kinds) > 0:
		return slices.Contains(kinds, k)
	case k == "" || k == model.KindEvent || k == model.KindCNP && !r.Flags.CompileCNP:
		return false
	}
	return r.System.AsksPolicies(k)
}

// isRead reports whether the present state of a source or kind is known.
func isRead(c model.ConnState) bool {
	return c == model.ConnSynced || c == model.ConnReadOnly || c == model.ConnAbsent
}

// isBeingRead reports whether a source or kind is being read for the first time.
func isBeingRead(c model.ConnState) bool {
	return c == model.ConnStarting || c == model.ConnDialling
}

// shownKinds limits the unread kinds that are named.
const shownKinds = 3

// Text names what is unread and why: "still reading prod, 1,203 objects so far" or "unknown: Pods
// were not read: connection refused".
func (u *Unread) Text() string {
	from := words.ListFew(u.Sources, shownKinds)
	if u.IsReading {
		if from == "" {
			return "still reading"
		}
		return "still reading " + from + ", " + words.Count(u.Objects, "object") + " so far"
	}
	what := from
	if len(u.Kinds) > 0 {
		what = u.KindsText()
	}
	verb := words.OneOrMany(max(len(u.Kinds), len(u.Sources)), " was", " were")
	if len(u.Kinds) == 1 {
		verb = " were" // "Pods were"
	}
	text := "unknown: " + what + verb + " not read"
	if u.readBefore {
		text += " again"
	}
	if u.Error != "" {
		text += ": " + u.Error
	}
	return text
}

// KindsText names the kinds that were not read, at most shownKinds.
func (u *Unread) KindsText() string {
	return words.ListSome(model.MapList(u.Kinds, func(k model.Kind) string { return words.Plural(string(k)) }), shownKinds)
}

// BriefText names the unread sources or kinds without the progress, so that the text stays the same.
func (u *Unread) BriefText() string {
	if u.IsReading {
		return strings.TrimSpace("still reading " + words.ListFew(u.Sources, shownKinds))
	}
	return strings.TrimPrefix(u.Text(), "unknown: ")
}

// HidesCount reports whether a count of n objects, or of findings about them, is unknown: some were never
// read, or n is 0. It is false for nil.
func (u *Unread) HidesCount(n int) bool { return u != nil && (u.IsPartial || n == 0) }

// CountText formats a count of n objects: "12", "?" if they were not read, and "12+" if only some were.
func (u *Unread) CountText(n int) string {
	switch {
	case !u.HidesCount(n):
		return words.Thousands(n)
	case n > 0:
		return words.Thousands(n) + "+"
	}
	return words.Unknown
}

// UnreadPods returns the unread part if pods, their namespaces or nodes were never read, or all objects are
// still being read; else nil.
func (r *Revision) UnreadPods() *Unread {
	if u := r.NeverRead(); u != nil && u.IsReading {
		return u
	}
	return r.NeverRead(model.KindPod, model.KindNamespace, model.KindNode)
}

// kindOfUnits maps units without an object to the kind of the objects behind them.
var kindOfUnits = map[model.Kind]model.Kind{model.KindNetpolNamespace: model.KindNP, model.KindNetpolDefault: model.KindNP,
	model.KindNetpolNode: model.KindNP}

// WhyIncomparable returns a function that says why rows of a kind of unit cannot be compared with objects:
// their objects were never read. It is nil if everything was read.
func (r *Revision) WhyIncomparable() func(units model.Kind) string {
	if u := r.UnreadPods(); u != nil {
		return func(model.Kind) string { return u.BriefText() }
	}
	unread := map[model.Kind]string{}
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindNP, model.KindEF, model.KindMNP} {
		if u := r.NeverRead(k); u != nil {
			unread[k] = u.BriefText()
		}
	}
	if len(unread) == 0 {
		return nil
	}
	return func(units model.Kind) string { return unread[cmp.Or(kindOfUnits[units], units)] }
}

// MissingText says that something does not exist, or, if the kinds were never read, "whether pod a/b exists is
// unknown: Pods were not read". r may be nil.
func (r *Revision) MissingText(what string, kinds ...model.Kind) string {
	if u := r.NeverRead(kinds...); u != nil {
		return "whether " + what + " exists is unknown: " + u.BriefText()
	}
	return what + " does not exist"
}

// CountText formats the number of objects of a kind like Unread.CountText.
func (r *Revision) CountText(k model.Kind) string { return r.Unread(k).CountText(r.Cluster.Count(k)) }

// EmptyText returns the text of an empty page: text if the kinds were read, else the unread kinds.
func (r *Revision) EmptyText(text string, kinds ...model.Kind) string {
	if u := r.Unread(kinds...); u != nil {
		return u.Text()
	}
	return text
}
