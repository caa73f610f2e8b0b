package nbdb

import (
	"errors"
	"fmt"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// errPassing marks a failure that says nothing about the operations: nothing
// was done, and the same transaction may well work later.
var errPassing = errors.New("server error")

// passing are the errors of RFC 7047 and ovsdb(7) that are not about the
// request itself.
var passing = map[string]bool{
	"resources exhausted": true, "I/O error": true, "timed out": true, "canceled": true,
	"cluster error": true, "not leader": true,
}

// readResults reads a reply to transact. Should an operation have failed, or the
// commit, the error wraps model.ErrRefused and says which and why.
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
				if failed < len(ops) { // the one after the last is the commit
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
		// With a timeout of 0 this is the answer to the wait, not trouble.
		return out, fmt.Errorf("%w: %s", model.ErrWait, failure)
	case passing[code]:
		return out, fmt.Errorf("%w: %s", errPassing, failure)
	case failure != "":
		return out, fmt.Errorf("%w: %s", model.ErrRefused, failure)
	case len(out) < len(ops):
		return nil, fmt.Errorf("reading the reply: %d results for %d operations", len(out), len(ops))
	}
	return out[:len(ops)], nil
}
