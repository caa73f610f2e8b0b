package action

// The actions of the rows view and of the view of one row.
const (
	RowsNextZone ID = "rows.next-zone"
	RowsPrevZone ID = "rows.previous-zone"
	RowsTable    ID = "rows.table"
	RowsStage    ID = "rows.stage"

	RowOwner    ID = "row.owner"
	RowLogs     ID = "row.logs"
	RowNextZone ID = "row.next-zone"
	RowPrevZone ID = "row.previous-zone"
)

var rows = []Action{
	{ID: RowsNextZone, Keys: []string{"]"}, Title: "next zone", Footer: 20, Help: "the rows of the next zone"},
	{ID: RowsPrevZone, Keys: []string{"["}, Title: "previous zone", Help: "the rows of the previous zone"},
	{ID: RowsTable, Keys: []string{"V"}, Title: "table", Footer: 30, Help: "show only one table: ACLs, address sets, port groups; press again for the next"},
	{ID: RowsStage, Keys: []string{"s"}, Title: "stage", Footer: 40, Help: "show one stage of the pipeline only; press again for the next stage"},
}

var row = []Action{
	{ID: RowOwner, Keys: []string{"o"}, Title: "owner", Footer: 20, Help: "go to the rule or policy the row belongs to"},
	{ID: RowLogs, Keys: []string{"l"}, Title: "log lines", Help: "the log lines of the rule or policy the row belongs to"},
	{ID: RowNextZone, Keys: []string{"]"}, Title: "next zone", Footer: 30, Help: "the same row in the next zone"},
	{ID: RowPrevZone, Keys: []string{"["}, Title: "previous zone", Help: "the same row in the previous zone"},
}
