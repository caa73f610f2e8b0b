package shot

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"rung/test/term"
)

// Moment is one frame of a recording: what is on the screen, which key led there and why, and for
// how long it stays.
type Moment struct {
	Frame    *term.Frame
	Key, Why string
	Seconds  float64
}

// The line below the screen, in SVG units.
const (
	captionHeight = 46.0
	captionSize   = 17.0
)

// Recording draws the moments one after the other, again and again, as one SVG that moves by CSS
// alone: as an image in a document, too. Whoever wants no motion sees the moment still. Rows of the
// screen that look the same are drawn once. All frames have the size of the first.
func Recording(moments []Moment, still int) []byte {
	c, first := size(1), moments[0].Frame
	w, screen := float64(first.Width)*c.w+2*padding, float64(first.Height)*c.h+2*padding
	h := screen + captionHeight
	total := 0.0
	for _, m := range moments {
		total += m.Seconds
	}
	back, text, dim, edge := opaque(first.Background), opaque(first.Foreground), onDark[8], onDark[0]
	if first.Light {
		dim, edge = onLight[8], onLight[15]
	}

	var rows, frames, style bytes.Buffer
	known := map[string]int{}
	at := 0.0
	for i, m := range moments {
		fmt.Fprintf(&frames, `<g class="f f%d" visibility="hidden">`+"\n", i)
		for y := range m.Frame.Height {
			drawn := drawnRow(m.Frame, y)
			if drawn == "" {
				continue
			}
			id, ok := known[drawn]
			if !ok {
				id = len(known)
				known[drawn] = id
				fmt.Fprintf(&rows, `<g id="r%d">%s</g>`+"\n", id, drawn)
			}
			fmt.Fprintf(&frames, `<use href="#r%d" y="%s"/>`, id, num(padding+float64(y)*c.h))
		}
		base := screen + captionHeight/2 + captionSize*0.35
		key := float64(len([]rune(m.Key)))*captionSize*0.6 + 20
		fmt.Fprintf(&frames, "\n"+`<rect x="%s" y="%s" width="%s" height="28" rx="6" fill="%s" stroke="%s"/>`, num(padding), num(screen+captionHeight/2-14), num(key), hex(edge), hex(dim))
		fmt.Fprintf(&frames, `<text x="%s" y="%s" text-anchor="middle" font-weight="bold">%s</text>`, num(padding+key/2), num(base), html.EscapeString(m.Key))
		fmt.Fprintf(&frames, `<text class="w" x="%s" y="%s">%s</text>`, num(padding+key+14), num(base), html.EscapeString(m.Why))
		fmt.Fprintf(&frames, `<text x="%s" y="%s" text-anchor="end" fill="%s">%d/%d</text></g>`+"\n", num(w-padding), num(base), hex(dim), i+1, len(moments))

		shown := func(on bool) string {
			if on {
				return "{visibility:visible}"
			}
			return "{visibility:hidden}"
		}
		share := func(t float64) string { return num(100*t/total) + "%" }
		fmt.Fprintf(&style, "@keyframes f%d{0%%%s", i, shown(i == 0))
		if i > 0 {
			style.WriteString(share(at) + shown(true))
		}
		at += m.Seconds
		if i < len(moments)-1 {
			style.WriteString(share(at) + shown(false))
		}
		fmt.Fprintf(&style, "}.f%d{animation-name:f%d}\n", i, i)
	}

	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="%s" font-size="%s" fill="%s" xml:space="preserve">`+"\n",
		num(w), num(h), num(w), num(h), fontFamily, num(captionSize), hex(text))
	fmt.Fprintf(&b, "<style>\n.f{animation:0s step-end infinite;animation-duration:%ss}\n.w{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif}\n"+
		".p{transform-origin:0 0;animation:p %ss linear infinite}@keyframes p{0%%{transform:scaleX(0)}}\n%s"+
		"@media (prefers-reduced-motion:reduce){.f{animation:none}.p{display:none}.f%d{visibility:visible}}\n</style>\n", num(total), num(total), style.String(), still)
	fmt.Fprintf(&b, "<defs>\n<clipPath id=\"c\"><rect width=\"%s\" height=\"%s\" rx=\"8\"/></clipPath>\n<g id=\"rows\" font-size=\"%s\">\n%s</g>\n</defs>\n",
		num(w), num(h), num(fontSize), rows.String())
	fmt.Fprintf(&b, `<g clip-path="url(#c)"><rect width="%s" height="%s" fill="%s"/><path stroke="%s" d="M0 %sH%s"/>`+"\n",
		num(w), num(h), hex(back), hex(edge), num(screen), num(w))
	fmt.Fprintf(&b, `<rect class="p" y="%s" width="%s" height="3" fill="%s"/></g>`+"\n%s</svg>\n", num(h-3), num(w), hex(dim), frames.String())
	return b.Bytes()
}

// drawnRow is row y of a frame as elements at the top, empty where it is blank.
func drawnRow(f *term.Frame, y int) string {
	var b bytes.Buffer
	row := newSVGRow(f, y)
	row.backgrounds(&b, size(1), 0, opaque(f.Background))
	row.texts(&b, size(1), 0)
	row.drawings(&b, size(1), 0)
	return strings.ReplaceAll(b.String(), "\n", "")
}
