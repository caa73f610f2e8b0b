package manifests

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/sources/manifests/check"
)

// unread are objects of a kind that Rung has no use for, such as ConfigMap.
type unread struct {
	kind  model.Kind
	n     int
	first model.Broken
}

// splitUnread takes what is of no use to Rung out of what is set aside. The rest may
// matter: a policy of a kind that Rung does not read, a field it does not know.
func splitUnread(as []aside) (of []unread, rest []aside) {
	for _, a := range as {
		if a.broken.Code != check.CodeUnknownKind || a.broken.Severity != model.SeverityInfo {
			rest = append(rest, a)
			continue
		}
		of = count(of, unread{a.broken.Key.Kind, 1, a.broken})
	}
	return of, rest
}

// count adds objects to those of the same kind.
func count(of []unread, more unread) []unread {
	for i := range of {
		if of[i].kind == more.kind {
			of[i].n += more.n
			return of
		}
	}
	return append(of, more)
}

// allUnread is one entry for all objects of all kinds that Rung has no use for: the
// dump of a cluster has dozens of such kinds.
func allUnread(files []*fileResult) []model.Broken {
	var of []unread
	for _, f := range files {
		for _, u := range f.unread {
			of = count(of, u)
		}
	}
	switch len(of) {
	case 0:
		return nil
	case 1:
		b := of[0].first
		if n := of[0].n - 1; n > 0 {
			b.Message += fmt.Sprintf(" (and %d more like this)", n)
		}
		return []model.Broken{b}
	}
	total := 0
	var kinds []string
	for _, u := range of {
		total += u.n
		kinds = append(kinds, fmt.Sprintf("%s %d", u.kind, u.n))
	}
	slices.Sort(kinds)
	b := of[0].first
	b.Key = model.Key{}
	b.Message = fmt.Sprintf("skipped: %d objects of unsupported kinds: %s", total,
		strings.Join(kinds, ", "))
	return []model.Broken{b}
}
