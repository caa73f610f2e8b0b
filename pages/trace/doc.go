// Package trace tells what becomes of one connection: the verdict, who decides, stage by stage
// with all that was tried, and whether rows and OVN itself say the same.
package trace
