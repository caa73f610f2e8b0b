package nbdb

import (
	"rung/model/ovn/nb"
)

// fold gathers row changes and keeps one per row: from its oldest old to its
// newest new. The order is that of each row's first change.
type fold struct {
	changes []nb.RowChange
	at      map[string]int // uuid → index in changes
}

func (f *fold) add(ch []nb.RowChange) {
	if len(f.changes) == 0 {
		f.changes = ch
		return
	}
	if f.at == nil {
		f.at = make(map[string]int, len(f.changes)+len(ch))
		for i, c := range f.changes {
			f.at[uuidOf(c)] = i
		}
	}
	for _, c := range ch {
		if i, ok := f.at[uuidOf(c)]; ok {
			f.changes[i].New, f.changes[i].Step = c.New, nil // it was of one change alone
			continue
		}
		f.at[uuidOf(c)] = len(f.changes)
		f.changes = append(f.changes, c)
	}
}

// take returns the changes and starts anew. A row that came and went is left
// out.
func (f *fold) take() []nb.RowChange {
	ch := f.changes
	f.changes, f.at = nil, nil
	keep := ch[:0]
	for _, c := range ch {
		if c.Old != nil || c.New != nil {
			keep = append(keep, c)
		}
	}
	return keep
}

func uuidOf(c nb.RowChange) string {
	if c.New != nil {
		return c.New.RowUUID()
	}
	return c.Old.RowUUID()
}
