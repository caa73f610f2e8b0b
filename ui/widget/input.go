package widget

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"rung/themes"
)

// Input is a line of text being typed, with the editing keys of a shell.
type Input struct {
	text    []rune
	at      int
	History []string // oldest first
	back    int      // how far back in History, 0 is the text itself
	draft   string
}

// maxInput is how many letters a line may have: pasting a file into it must not
// hurt.
const maxInput = 4000

// Value is the text; Set replaces it and puts the cursor at its end.
func (in *Input) Value() string { return string(in.text) }

// Set replaces the text.
func (in *Input) Set(s string) {
	in.text = []rune(oneLine(s))
	in.at = len(in.text)
}

func oneLine(s string) string {
	s = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s)
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if r := []rune(s); len(r) > maxInput {
		return string(r[:maxInput])
	}
	return s
}

// Insert types or pastes text at the cursor.
func (in *Input) Insert(s string) {
	r := []rune(oneLine(s))
	if room := maxInput - len(in.text); len(r) > room {
		r = r[:max(0, room)]
	}
	in.text = slices.Insert(in.text, in.at, r...)
	in.at += len(r)
}

// Key edits the line; it says whether the key was one of its own. text is what
// the key types, empty for keys that type nothing.
func (in *Input) Key(key, text string) bool {
	switch key {
	case "left", "ctrl+b":
		in.at = in.before()
	case "right", "ctrl+f":
		in.at = in.after()
	case "home", "ctrl+a":
		in.at = 0
	case "end", "ctrl+e":
		in.at = len(in.text)
	case "alt+b", "ctrl+left":
		in.at = in.word()
	case "alt+f", "ctrl+right":
		for in.at < len(in.text) && in.text[in.at] == ' ' {
			in.at++
		}
		for in.at < len(in.text) && in.text[in.at] != ' ' {
			in.at++
		}
	case "backspace", "ctrl+h":
		in.cut(in.before(), in.at)
	case "delete", "ctrl+d":
		in.cut(in.at, in.after())
	case "ctrl+w", "alt+backspace":
		in.cut(in.word(), in.at)
	case "ctrl+u":
		in.cut(0, in.at)
	case "ctrl+k":
		in.cut(in.at, len(in.text))
	case "up":
		in.recall(1)
	case "down":
		in.recall(-1)
	default:
		if text == "" {
			return false
		}
		in.Insert(text)
	}
	return true
}

func (in *Input) cut(from, to int) {
	in.text = slices.Delete(in.text, from, to)
	in.at = from
}

// before and after are the ends of the letters beside the cursor; what is drawn
// as one letter is passed as one.
func (in *Input) before() int {
	at := 0
	for rest := string(in.text[:in.at]); rest != ""; {
		g, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		if g == rest || g == "" {
			break
		}
		at += utf8.RuneCountInString(g)
		rest = rest[len(g):]
	}
	return at
}

func (in *Input) after() int {
	if in.at == len(in.text) {
		return in.at
	}
	g, _ := ansi.FirstGraphemeCluster(string(in.text[in.at:]), ansi.GraphemeWidth)
	return min(len(in.text), in.at+max(1, utf8.RuneCountInString(g)))
}

func (in *Input) word() int {
	at := in.at
	for at > 0 && in.text[at-1] == ' ' {
		at--
	}
	for at > 0 && in.text[at-1] != ' ' {
		at--
	}
	return at
}

func (in *Input) recall(d int) {
	to := in.back + d
	if to < 0 || to > len(in.History) {
		return
	}
	if in.back == 0 {
		in.draft = in.Value()
	}
	in.back = to
	if to == 0 {
		in.Set(in.draft)
		return
	}
	in.Set(in.History[len(in.History)-to])
}

// Remember puts the text at the end of the history and empties the line.
func (in *Input) Remember() {
	s := in.Value()
	in.Set("")
	in.back = 0
	if s == "" {
		return
	}
	in.History = slices.DeleteFunc(in.History, func(h string) bool { return h == s })
	in.History = append(in.History, s)
	if len(in.History) > 100 {
		in.History = in.History[1:]
	}
}

// Render draws the line in w cells with the cursor in reverse, scrolled so that
// the cursor is seen.
func (in *Input) Render(st *themes.Styles, w int) string {
	if w <= 0 {
		return ""
	}
	before, under, after := string(in.text[:in.at]), " ", ""
	if in.at < len(in.text) {
		n := in.after()
		under, after = string(in.text[in.at:n]), string(in.text[n:])
	}
	skip := 0
	if over := Width(before) + Width(under) - w; over > 0 {
		skip = over
	}
	l := Line{{before, st.Input}, {under, st.Selection}, {after, st.Input}}
	return l.Skip(skip).clip(w)
}

// clip draws the line in w cells without an ellipsis.
func (l Line) clip(w int) string {
	var b []byte
	for _, s := range l.cleaned() {
		if w <= 0 {
			break
		}
		text := ansi.Truncate(s.Text, w, "")
		b = s.Style.Append(b, text)
		w -= Width(text)
	}
	return string(appendSpaces(b, w))
}
