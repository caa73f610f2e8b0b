package acllog

import (
	"bytes"
	"strconv"
)

// LineNumbers follows the line numbers of ovn-controller's packet thread, which writes ACL lines and others.
// The thread counts the lines it writes. So a gap means lines did not arrive, not that a meter discarded
// packets (ovn-kubernetes.md#lost-lines).
type LineNumbers struct{ lastNumber uint64 }

var pinctrl = []byte("(ovn_pinctrl")

// mostUnseen is the longest gap within one run; a longer gap means another run.
const mostUnseen = 1 << 20

// MissingBefore returns how many numbers are missing before this line. A lower number begins a new run; if it
// is lower by fewer than repeats, the line came twice.
func (n *LineNumbers) MissingBefore(line []byte, repeats uint64) (unseen uint64) {
	_, rest, ok := bytes.Cut(line, []byte("|"))
	if !ok {
		return 0
	}
	number, rest, ok := bytes.Cut(rest, []byte("|"))
	if !ok || len(number) > 20 {
		return 0
	}
	module, _, ok := bytes.Cut(rest, []byte("|"))
	if !ok || !bytes.Contains(module, pinctrl) {
		return 0
	}
	at, err := strconv.ParseUint(string(number), 10, 64)
	if err != nil {
		return 0
	}
	switch was := n.lastNumber; {
	case was == 0 || at == was+1:
	case at > was && at-was <= mostUnseen:
		unseen = at - was - 1
	case at <= was && was-at < repeats && at > 1:
		return 0 // repeated, since the log was resumed
	}
	n.lastNumber = at
	return unseen
}
