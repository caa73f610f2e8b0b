package manifests

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	udiff "github.com/aymanbagabas/go-udiff"
)

// TextChange is a change made to the text of a file, so that it can be taken back to the
// byte.
type TextChange struct {
	Path string
	// Made says that the file was made, Gone that it was taken away.
	Made bool `json:",omitempty"`
	Gone bool `json:",omitempty"`
	// Sum is the digest of the text that was left, empty where the file is gone.
	Sum   string `json:",omitempty"`
	Hunks []Hunk `json:",omitempty"`
	// Spots say where the objects stood that were taken out.
	Spots []RemovedSpot `json:",omitempty"`
}

// Hunk is a part of a text that became another: at byte At of the text that was
// left stands Is, where there was Was.
type Hunk struct {
	At  int
	Is  []byte `json:",omitempty"`
	Was []byte `json:",omitempty"`
}

// ChangeOf returns the change from one text of a file to another. A nil text is a file
// that does not exist.
func ChangeOf(path string, before, after []byte) TextChange {
	c := TextChange{Path: path, Made: before == nil, Gone: after == nil, Hunks: hunksBetween(before, after),
		Spots: removedSpots(path, before, after)}
	if after != nil {
		c.Sum = textDigest(after)
	}
	return c
}

// IsLeftText says whether a text is the one that the change left; nil is no file.
func (c *TextChange) IsLeftText(text []byte) bool {
	if c.Gone || text == nil {
		return c.Gone && text == nil
	}
	return c.Sum == textDigest(text)
}

// TextBefore is the text before the change, nil where there was no file. ok is false
// when text is not the one that was left.
func (c *TextChange) TextBefore(text []byte) (before []byte, ok bool) {
	if !c.IsLeftText(text) {
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

// SizeBytes is about how many bytes it takes to keep.
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

// manyBytes is from where on a changed part is looked at line by line.
const manyBytes = 4 << 10

// hunksBetween are the parts in which two texts differ.
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

// MergeTexts puts the changes from base to a and from base to b into one text. ok is
// false when they touch: when both change a line, or one adds where the other
// changes or adds. Changes that are the same on both sides are made once.
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

// endsBefore says whether x ends where y has not begun. Where they meet, both must
// replace lines: an addition at that point could belong on either side.
func endsBefore(x, y udiff.Edit) bool {
	return x.End < y.Start || x.End == y.Start && x.Start < x.End && y.Start < y.End
}
