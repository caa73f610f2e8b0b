package nbdb

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"rung/model/clean"
	"rung/model/ovn/nb"
)

// ErrRowID is a row whose _uuid is none. No OVSDB server writes one; whoever does
// wants it printed in a command.
var ErrRowID = errors.New("its _uuid is not a UUID")

// Left are the rows of a database that are left aside because of their _uuid. The
// zero Left is empty; it is for one goroutine at a time.
type Left struct {
	rows map[string]string // by table and _uuid: how the row is called
	more int
}

// maxLeft bounds how many are remembered.
const maxLeft = 100

// Row takes in a row that is left aside; row is what else it says, or nil.
func (l *Left) Row(table, uuid string, row nb.Row) {
	key := table + " " + uuid
	if _, known := l.rows[key]; known {
		return
	}
	if len(l.rows) >= maxLeft {
		l.more++
		return
	}
	if l.rows == nil {
		l.rows = map[string]string{}
	}
	const most = 60
	short := []rune(clean.Text(uuid))
	name := table + " " + strconv.Quote(string(short[:min(most, len(short))]))
	if row != nil && row.RowName() != "" {
		called := []rune(row.RowName())
		name += " (" + string(called[:min(most, len(called))]) + ")"
	}
	l.rows[key] = name
}

// Gone takes in that such a row went.
func (l *Left) Gone(table, uuid string) { delete(l.rows, table+" "+uuid) }

// Err names them in one line, nil when there are none; it wraps ErrRowID.
func (l *Left) Err() error {
	if len(l.rows) == 0 {
		return nil
	}
	first := slices.Sorted(maps.Values(l.rows))[0]
	more := ""
	if n := len(l.rows) - 1 + l.more; n > 0 {
		more = fmt.Sprintf(" and %d more rows", n)
	}
	return fmt.Errorf("skipped: %s%s: %w", first, more, ErrRowID)
}
