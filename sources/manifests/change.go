package manifests

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	udiff "github.com/aymanbagabas/go-udiff"
)

// TextChange is a change to the text of a file that can be undone byte by byte.
type TextChange struct {
	Path string
	// Made means the file was created, Gone means it was removed.
	Made bool `json:",omitempty"`
	Gone bool `json:",omitempty"`
	// Sum is the digest of the new text; empty if the file is gone.
	Sum   string `json:",omitempty"`
	Hunks []Hunk `json:",omitempty"`
	// Spots are the places of the removed objects.
	Spots []RemovedSpot `json:",omitempty"`
}

// Hunk is a changed part of a text: at byte At of the new text, Is replaced Was.
type Hunk struct {
	At  int
	Is  []byte `json:",omitempty"`
	Was []byte `json:",omitempty"`
}

// NewTextChange returns the change from one text of a file to another. A nil text means no file.
func NewTextChange(path string, before, after []byte) TextChange {
	c := TextChange{Path: path, Made: before == nil, Gone: after == nil, Hunks: hunksBetween(before, after),
		Spots: removedSpots(path, before, after)}
	if after != nil {
		c.Sum = textDigest(after)
	}
	return c
}

// TextBefore returns the text before the change, or nil for no file. ok is false if text is not the new text.
func (c *TextChange) TextBefore(text []byte) (before []byte, ok bool) {
	if c.Gone != (text == nil) || text != nil && c.Sum != textDigest(text) {
		return nil, false
	}
	before = []byte{}
	at := 0
	for _, h := range c.Hunks {
		if h.At < at || h.At > len(text) || !bytes.HasPrefix(text[h.At:], h.Is) {
			return nil, false
		}
		before = append(append(before, text[at:h.At]...), h.Was...)
		at = h.At + len(h.Is)
	}
	before = append(before, text[at:]...)
	if c.Made {
		return nil, len(before) == 0
	}
	return before, true
}

// SizeBytes returns about how many bytes the change takes to store.
func (c *TextChange) SizeBytes() int {
	n := len(c.Path) + len(c.Sum)
	for _, h := range c.Hunks {
		n += len(h.Is) + len(h.Was)
	}
	for i := range c.Spots {
		n += c.Spots[i].sizeBytes()
	}
	return n
}

func textDigest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// manyBytes is the size from which a changed part is compared line by line.
const manyBytes = 4 << 10

// hunksBetween returns the differing parts of two texts.
func hunksBetween(before, after []byte) []Hunk {
	from := 0
	for from < len(before) && from < len(after) && before[from] == after[from] {
		from++
	}
	b, a := len(before), len(after)
	for b > from && a > from && before[b-1] == after[a-1] {
		b, a = b-1, a-1
	}
	if b == from && a == from {
		return nil
	}
	whole := []Hunk{{At: from, Is: bytes.Clone(after[from:a]), Was: bytes.Clone(before[from:b])}}
	if min(b, a)-from < manyBytes {
		return whole
	}
	var out []Hunk
	shift := 0
	for _, e := range udiff.Lines(string(before), string(after)) {
		out = append(out, Hunk{At: e.Start + shift, Is: []byte(e.New), Was: bytes.Clone(before[e.Start:e.End])})
		shift += len(e.New) - (e.End - e.Start)
	}
	c := TextChange{Sum: textDigest(after), Hunks: out}
	if back, ok := c.TextBefore(after); !ok || !bytes.Equal(back, before) {
		return whole
	}
	return out
}

// MergeTexts merges the changes from base to a and from base to b. ok is false if they touch: both change a
// line, or one adds where the other changes or adds. Changes made on both sides are made once.
func MergeTexts(base, a, b string) (merged string, ok bool) {
	ea, eb := udiff.Lines(base, a), udiff.Lines(base, b)
	edits := make([]udiff.Edit, 0, len(ea)+len(eb))
	for len(ea) > 0 && len(eb) > 0 {
		switch x, y := ea[0], eb[0]; {
		case x == y:
			edits = append(edits, x)
			ea, eb = ea[1:], eb[1:]
		case endsBefore(x, y):
			edits = append(edits, x)
			ea = ea[1:]
		case endsBefore(y, x):
			edits = append(edits, y)
			eb = eb[1:]
		default:
			return "", false
		}
	}
	edits = append(append(edits, ea...), eb...)
	merged, err := udiff.Apply(base, edits)
	return merged, err == nil
}

// endsBefore reports whether x ends before y begins. If they meet, both must replace lines: an addition at
// that point could belong to either side.
func endsBefore(x, y udiff.Edit) bool {
	return x.End < y.Start || x.End == y.Start && x.Start < x.End && y.Start < y.End
}
