// Package line writes lines of the log in the cells there are: as sentences, whose parts give
// way to each other, or in chosen columns. All lines of a screen have one shape, made from
// what was seen of them, so that columns do not dance. It knows entries and looks, and no page.
package line
