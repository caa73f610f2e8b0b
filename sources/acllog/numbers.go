package acllog

import (
	"bytes"
	"strconv"
)

// LineNumbers follows the numbers of the lines of ovn-controller's thread for packets, which
// writes ACL lines and others. The thread counts what it writes, so a gap says that
// lines did not come, not that a meter discarded packets (ovn-kubernetes.md#lost-lines).
type LineNumbers struct{ lastNumber uint64 }

var pinctrl = []byte("(ovn_pinctrl")

// mostUnseen is the longest gap that is taken for one: a longer one is another run.
const mostUnseen = 1 << 20

// MissingBefore says how many numbers are missing before this line. A number that goes back begins
// anew, or, by fewer than repeats, is a line that came twice.
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
		return 0 // it came again: where a log was resumed
	}
	n.lastNumber = at
	return unseen
}
