package widget

import "rung/themes"

// Highlight marks the places in a line that a filter finds.
func Highlight(l Line, f Filter, st *themes.Styles) Line {
	hits := f.Spans(l.String())
	if len(hits) == 0 {
		return l
	}
	var out Line
	at := 0
	for _, s := range l {
		for text := s.Text; text != ""; {
			for len(hits) > 0 && hits[0][1] <= at {
				hits = hits[1:]
			}
			n, style := len(text), s.Style
			if len(hits) > 0 {
				switch from, to := hits[0][0]-at, hits[0][1]-at; {
				case from > 0:
					n = min(n, from)
				default:
					n, style = min(n, to), st.Match
				}
			}
			out = append(out, Span{text[:n], style})
			text = text[n:]
			at += n
		}
	}
	return out
}
