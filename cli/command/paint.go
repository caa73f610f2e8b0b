package command

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/adrg/xdg"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// markStart begins a mark: an escape sequence that tags a piece of text until the text is written and marks
// become colours or nothing. As a style sequence it has no width. Its random number keeps texts from other
// sources from forging it.
var markStart = "\x1b[" + strconv.Itoa(100_000_000+rand.IntN(900_000_000)) + ";"

const (
	markEnd  = "m"
	noLook   = 0 // ends a look
	cellMark = 1 // begins a table cell
	looks    = 2 // the look of the first token
)

func newMark(n int) string { return markStart + strconv.Itoa(n) + markEnd }

// Paint marks text with its role.
func Paint(to page.Role, text string) string {
	i := slices.Index(themes.Tokens, to)
	text = words.Escape(text)
	if i < 0 || to == themes.Text || text == "" {
		return text
	}
	return newMark(looks+i) + text + newMark(noLook)
}

// PaintWord marks the name of an action, a verdict, a result or a severity.
func PaintWord(word string) string { return Paint(page.WordRole(word), word) }

// paintCell marks a cell.
func paintCell(c page.Cell) string {
	text := Paint(c.Role, c.Text)
	for _, s := range c.More {
		text += Paint(s.Role, s.Text)
	}
	return text
}

// PlainText returns text without marks.
func PlainText(text string) string {
	return replaceMarks(text, func(s string) string { return s }, func(int) string { return "" })
}

// replaceMarks replaces the marks of a text by mark, and the text between them by plain.
func replaceMarks(text string, plain func(string) string, mark func(n int) string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, markStart)
		b.WriteString(plain(before))
		if !found {
			return b.String()
		}
		number, after, _ := strings.Cut(rest, markEnd)
		n, _ := strconv.Atoi(number) // we wrote it
		b.WriteString(mark(n))
		text = after
	}
}

// cellsOfLine returns the cells of a table's line without padding; nil for other lines.
func cellsOfLine(line string) []string {
	if !strings.Contains(line, newMark(cellMark)) {
		return nil
	}
	cells := strings.Split(line, newMark(cellMark))[1:]
	for i, c := range cells {
		cells[i] = strings.TrimRight(c, " ")
	}
	return cells
}

// Smallest widths: leastProse for columns of prose, leastWord for others.
const leastProse, leastWord = 12, 8

// FitText fits the tables of a text into a width: the widest columns of a wider table wrap, columns of prose
// first. Nothing is cut.
func FitText(text string, width int) string {
	if width <= 0 || !strings.Contains(text, markStart) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	for i := 0; i < len(lines); {
		to := i
		for to < len(lines) && strings.Contains(lines[to], newMark(cellMark)) {
			to++
		}
		if to == i {
			b.WriteString(lines[i])
			i++
			continue
		}
		b.WriteString(fitTable(lines[i:to], width))
		i = to
	}
	return b.String()
}

func fitTable(lines []string, width int) string {
	fits := true
	indent := 0
	var rows [][]string
	for _, line := range lines {
		line = strings.TrimSuffix(line, "\n")
		fits = fits && ansi.StringWidth(line) <= width
		before, _, _ := strings.Cut(line, newMark(cellMark))
		indent = max(indent, ansi.StringWidth(before))
		rows = append(rows, cellsOfLine(line))
	}
	if fits {
		return strings.Join(lines, "")
	}
	widths := columnWidthsFor(rows, width-indent)
	if widths == nil {
		return strings.Join(lines, "")
	}
	var b strings.Builder
	for _, row := range rows {
		cells, height := make([][]string, len(row)), 1
		for i, c := range row {
			cells[i] = WrapMarked(c, widths[i])
			height = max(height, len(cells[i]))
		}
		for n := range height {
			line := strings.Repeat(" ", indent)
			for i := range cells {
				cell := ""
				if n < len(cells[i]) {
					cell = cells[i][n]
				}
				line += cell
				if i < len(cells)-1 {
					line += strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2)
				}
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}

// columnWidthsFor returns column widths that fit into width, nil if impossible.
func columnWidthsFor(rows [][]string, width int) []int {
	var widths []int
	var prose []bool
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths, prose = append(widths, 0), append(prose, false)
			}
			widths[i] = max(widths[i], ansi.StringWidth(c))
			prose[i] = prose[i] || strings.Contains(strings.TrimSpace(c), " ")
		}
	}
	room := width - 2*(len(widths)-1)
	all := slices.Repeat([]bool{true}, len(widths))
	if fitting := limitColumns(widths, prose, room, leastProse); fitting != nil {
		return fitting
	}
	return limitColumns(widths, all, room, leastWord)
}

// limitColumns narrows the widest of some columns until all fit into room; nil if they would be narrower than
// least.
func limitColumns(widths []int, some []bool, room, least int) []int {
	for limit := slices.Max(widths); limit >= least; limit-- {
		out, sum := slices.Clone(widths), 0
		for i := range out {
			if some[i] {
				out[i] = min(out[i], limit)
			}
			sum += out[i]
		}
		if sum <= room {
			return out
		}
	}
	return nil
}

// WrapMarked breaks a marked text into lines of a width, between words if possible; width 0 means unlimited. A
// look that spans lines is repeated on each.
func WrapMarked(text string, width int) []string {
	if width <= 0 {
		return []string{text}
	}
	lines := themes.WrapWords(text, width)
	look := ""
	for i, line := range lines {
		before := look
		replaceMarks(line, func(s string) string { return s }, func(n int) string {
			look = ""
			if n >= looks {
				look = newMark(n)
			}
			return ""
		})
		lines[i] = before + line
		if look != "" {
			lines[i] += newMark(noLook)
		}
	}
	return lines
}

// look is how text for people is written: whether to fit tables to the terminal, and the styles.
type look struct {
	fits    bool
	styles  *themes.StyleSet // nil without colours
	profile colorprofile.Profile
}

// setLook sets the look of Out from the flags, and from the configuration once it is read.
func (a *App) setLook(file fileSettings) error {
	ui, terminal := &a.Flags.UI, IsTerminal(a.Raw)
	profile, err := themes.OutputProfile(cmp.Or(ui.Color, file.Color), terminal, os.Environ())
	if err != nil {
		return err
	}
	how := look{profile: profile, fits: terminal && a.Flags.Output != "wide"}
	if profile > colorprofile.ASCII {
		set, _ := themes.LoadThemes(filepath.Join(xdg.ConfigHome, "rung", "themes")) // the console reports invalid themes
		how.styles = set.FindStyles(cmp.Or(ui.Theme, file.Theme), true)
	}
	a.look.Store(&how)
	return nil
}

// finishText turns marks in a text into styles and makes it printable. A nil app, used for standard error, has
// no styles.
func (a *App) finishText(text []byte) []byte {
	if !bytes.Contains(text, []byte(markStart)) {
		return words.CleanJSON(text)
	}
	how, width := &look{}, 0
	if a != nil {
		how = cmp.Or(a.look.Load(), how)
	}
	if how.fits {
		width = TerminalWidth(a.Raw)
	}
	cleaned := func(s string) string { return string(words.CleanJSON([]byte(s))) }
	end := ""
	out := replaceMarks(FitText(string(text), width), cleaned, func(n int) string {
		before := end
		switch {
		case n == cellMark || how.styles == nil:
			return ""
		case n == noLook:
			end = ""
			return before
		}
		open, after, _ := strings.Cut(how.styles.TokenStyle(themes.Tokens[n-looks]).Render("x"), "x")
		end = after
		return before + open
	})
	if how.styles == nil || how.profile == colorprofile.TrueColor {
		return []byte(out)
	}
	var b bytes.Buffer
	w := colorprofile.Writer{Forward: &b, Profile: how.profile}
	_, _ = w.WriteString(out) // into memory
	return b.Bytes()
}
