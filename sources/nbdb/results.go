package nbdb

import (
	"errors"
	"fmt"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// errPassing means a failure not caused by the operations: nothing was changed, and the same transaction may
// succeed later.
var errPassing = errors.New("server error")

// passing are the errors of RFC 7047 and ovsdb(7) that do not concern the request itself.
var passing = map[string]bool{
	"resources exhausted": true, "I/O error": true, "timed out": true, "canceled": true,
	"cluster error": true, "not leader": true,
}

// readResults reads a reply to transact. If an operation or the commit failed, the error says which and why.
// It wraps model.ErrWait after a wait that timed out, errPassing after a passing error, else
// model.ErrRejected.
func readResults(raw []byte, ops []nb.Op) ([]nb.OpResult, error) {
	d := &rowDecoder{Lexer: NewLexer(raw)}
	out := make([]nb.OpResult, 0, len(ops)+1)
	var failure, code string
	failed := 0 // the operation
	d.Array(func() {
		var r nb.OpResult
		var what, details string
		if !d.Null() {
			d.Object(func(key []byte) {
				switch string(key) {
				case "count":
					r.Count = d.Int()
				case "uuid":
					r.UUID = d.readUUID()
				case "rows":
					d.Array(func() { r.Count++; d.Skip() })
				case "error":
					what = words.CleanText(string(d.String()))
				case "details":
					details = words.CleanText(string(d.String()))
				default:
					d.Skip()
				}
			})
		}
		if what != "" {
			r.Error = what
			if details != "" {
				r.Error += ": " + details
			}
			if failure == "" {
				code, failure, failed = what, r.Error, len(out)
				if failed < len(ops) { // the index after the last means the commit
					failure += fmt.Sprintf(" (operation %d: %s)", failed, describeOp(&ops[failed]))
				}
			}
		}
		out = append(out, r)
	})
	if err := d.End(); err != nil {
		return nil, fmt.Errorf("reading the reply: %w", err)
	}
	switch {
	case code == "timed out" && failed < len(ops) && ops[failed].Kind == nb.OpWait:
		// With a timeout of 0 this answers the wait; it is no failure.
		return out, fmt.Errorf("%w: %s", model.ErrWait, failure)
	case passing[code]:
		return out, fmt.Errorf("%w: %s", errPassing, failure)
	case failure != "":
		return out, fmt.Errorf("%w: %s", model.ErrRejected, failure)
	case len(out) < len(ops):
		return nil, fmt.Errorf("reading the reply: %d results for %d operations", len(out), len(ops))
	}
	return out[:len(ops)], nil
}
