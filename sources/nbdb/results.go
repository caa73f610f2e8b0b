package nbdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
	var in []struct {
		Count          float64 // some servers write 1.0
		UUID           []string
		Rows           []json.RawMessage
		Error, Details string
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("reading the reply: %w", err)
	}
	out := make([]nb.OpResult, len(in))
	var failure, code string
	failed := 0 // the operation
	for i, r := range in {
		out[i].Count = int(r.Count) + len(r.Rows)
		if r.UUID != nil {
			if len(r.UUID) != 2 || r.UUID[0] != "uuid" || !nb.IsUUID(r.UUID[1]) {
				return nil, fmt.Errorf("reading the reply: %q is not a UUID", r.UUID)
			}
			out[i].UUID = r.UUID[1]
		}
		if r.Error == "" {
			continue
		}
		out[i].Error = words.CleanText(strings.TrimSuffix(r.Error+": "+r.Details, ": "))
		if failure == "" {
			code, failure, failed = words.CleanText(r.Error), out[i].Error, i
			if i < len(ops) { // the index after the last means the commit
				failure += fmt.Sprintf(" (operation %d: %s)", i, describeOp(&ops[i]))
			}
		}
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
