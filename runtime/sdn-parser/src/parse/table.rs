//! Tables: the header of a named table, the types of a typed one, rows on lines, and tuples in brackets.

use std::collections::HashSet;

use super::inline::{Ends, closer};
use super::{Below, MAX_CELLS, Parser};
use crate::column_type::ColumnType;
use crate::cursor::Position;
use crate::error::{Error, ErrorKind};
use crate::node::{Node, NodeValue, TableNode};
use crate::scalar::{classify, excerpt};

/// What every row of a table must be like.
struct Columns {
    width: usize,
    /// The types of a typed table with their names; empty for a named table.
    types: Vec<(ColumnType, String)>,
}

/// A row while it is read. The wrong number of cells is worse news than a wrong cell, so that error has to wait.
struct Row {
    at: Position,
    cells: Vec<Node>,
    wrong_cell: Option<Error>,
}

impl Parser<'_> {
    /// Parses `|names| row` or `|names|` with rows below; the cursor is at the first `|`.
    pub(super) fn named_table(
        &mut self,
        column: usize,
        depth: usize,
    ) -> Result<(Node, Below), Error> {
        let at = self.cursor.position();
        let depth = self.enter(depth)?;
        self.cursor.bump();
        let mut fields: Vec<String> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        loop {
            self.cursor.skip_blanks();
            let field_at = self.cursor.position();
            let field = self.name().to_owned();
            if field.is_empty() {
                return Err(self.unexpected("a column name"));
            }
            self.check_string(field_at, field.len())?;
            if !seen.insert(field.clone()) {
                let message = format!("the column {} is named twice", excerpt(&field));
                return Err(field_at.error(ErrorKind::DuplicateKey, message));
            }
            fields.push(field);
            self.cursor.skip_blanks();
            if self.cursor.eat(b'|') {
                break;
            }
            if !self.cursor.eat(b',') {
                return Err(self.unexpected("`,` or `|` after a column name"));
            }
        }
        let columns = Columns {
            width: fields.len(),
            types: Vec::new(),
        };
        self.cursor.skip_blanks();
        let (rows, below) = if self.cursor.at_content_end() {
            self.rows_below(column, depth, &columns)?
        } else {
            (vec![self.row(depth, &columns)?], Below::Nothing)
        };
        let table = TableNode {
            fields: Some(fields),
            types: None,
            rows,
        };
        Ok((at.node(NodeValue::Table(Box::new(table))), below))
    }

    /// Parses `table{types}` with rows below or `= [tuples]`; the cursor is at the `t`.
    pub(super) fn typed_table(
        &mut self,
        column: usize,
        depth: usize,
    ) -> Result<(Node, Below), Error> {
        let at = self.cursor.position();
        let depth = self.enter(depth)?;
        let _keyword = self.name();
        let opened = self.cursor.position();
        self.cursor.bump();
        let mut types = Vec::new();
        loop {
            self.cursor.skip_trivia();
            let type_at = self.cursor.position();
            let name = self.name().to_owned();
            if name.is_empty() {
                return Err(self.unexpected("a column type"));
            }
            let Some(column_type) = ColumnType::named(&name) else {
                let message = format!("expected a column type, found {}", excerpt(&name));
                let hint = format!("the types are {}", ColumnType::names());
                return Err(type_at
                    .error(ErrorKind::UnexpectedToken, message)
                    .with_hint(hint));
            };
            types.push((column_type, name));
            self.cursor.skip_trivia();
            if self.cursor.eat(b'}') {
                break;
            }
            if !self.cursor.eat(b',') {
                return Err(self.unexpected(&closer("`,` or `}`", '{', opened)));
            }
        }
        let columns = Columns {
            width: types.len(),
            types,
        };
        self.cursor.skip_blanks();
        let (rows, below) = if self.cursor.at_content_end() {
            self.rows_below(column, depth, &columns)?
        } else if self.cursor.eat(b'=') {
            self.cursor.skip_blanks();
            let rows = self.tuples(depth, &columns)?;
            self.end_line()?;
            (rows, Below::Nothing)
        } else {
            let message = format!(
                "expected `=` or the end of the line after the column types, found {}",
                self.cursor.found()
            );
            return Err(self.error(ErrorKind::Syntax, message));
        };
        let types = columns.types.into_iter().map(|(_, name)| name).collect();
        let table = TableNode {
            fields: None,
            types: Some(types),
            rows,
        };
        Ok((at.node(NodeValue::Table(Box::new(table))), below))
    }

    /// Ends the header's line and parses the rows indented below it, if any.
    fn rows_below(
        &mut self,
        column: usize,
        depth: usize,
        columns: &Columns,
    ) -> Result<(Vec<Node>, Below), Error> {
        self.end_line()?;
        let mut rows = Vec::new();
        match self.indentation {
            Some(rows_column) if rows_column > column => {
                while self.in_block(rows_column, Below::Nothing)? {
                    rows.push(self.row(depth, columns)?);
                }
                Ok((rows, Below::Block))
            }
            _ => Ok((rows, Below::Nothing)),
        }
    }

    /// Parses one row to the end of its line, and ends the line.
    fn row(&mut self, depth: usize, columns: &Columns) -> Result<Node, Error> {
        let mut row = Row {
            at: self.cursor.position(),
            cells: Vec::new(),
            wrong_cell: None,
        };
        loop {
            self.cursor.skip_blanks();
            self.cell(&mut row, depth, columns, Ends::Row)?;
            self.cursor.skip_blanks();
            if !self.cursor.eat(b',') {
                break;
            }
        }
        self.end_line()?;
        row.finish(columns)
    }

    /// Parses `[(..), (..)]`.
    fn tuples(&mut self, depth: usize, columns: &Columns) -> Result<Vec<Node>, Error> {
        let at = self.cursor.position();
        if !self.cursor.eat(b'[') {
            return Err(self.unexpected("`[` with the rows of the table"));
        }
        let mut rows = Vec::new();
        loop {
            self.cursor.skip_trivia();
            if self.cursor.eat(b']') {
                return Ok(rows);
            }
            let row_at = self.cursor.position();
            if !self.cursor.eat(b'(') {
                return Err(self.unexpected(&closer("`(` or `]`", '[', at)));
            }
            let mut row = Row {
                at: row_at,
                cells: Vec::new(),
                wrong_cell: None,
            };
            loop {
                self.cursor.skip_trivia();
                self.cell(&mut row, depth, columns, Ends::Inline)?;
                // Unlike brackets, a tuple has no room for a comma after its last cell: that would be one cell more.
                self.cursor.skip_trivia();
                if self.cursor.eat(b')') {
                    break;
                }
                if !self.cursor.eat(b',') {
                    return Err(self.unexpected(&closer("`,` or `)`", '(', row_at)));
                }
            }
            rows.push(row.finish(columns)?);
            self.separator(b']', '[', at)?;
        }
    }

    fn cell(
        &mut self,
        row: &mut Row,
        depth: usize,
        columns: &Columns,
        ends: Ends,
    ) -> Result<(), Error> {
        self.cells += 1;
        if self.cells > MAX_CELLS {
            return Err(self.error(
                ErrorKind::Limit,
                format!("the tables have more than {MAX_CELLS} cells"),
            ));
        }
        let at = self.cursor.position();
        let column = columns.types.get(row.cells.len());
        let (node, wrong) = match self.cursor.peek() {
            Some(mark @ (b'"' | b'\'' | b'{' | b'[')) => {
                let fits = match column {
                    None => true,
                    Some((column_type, _)) => {
                        *column_type == ColumnType::Text && matches!(mark, b'"' | b'\'')
                    }
                };
                let node = self.inline_value(depth)?;
                let wrong = column.filter(|_| !fits).map(|(_, name)| {
                    let found = node.kind_name();
                    let article = if found == "array" { "an" } else { "a" };
                    let message = format!("the cell is {article} {found}, its column holds {name}");
                    at.error(ErrorKind::InvalidTableRow, message)
                });
                (node, wrong)
            }
            _ => {
                let (at, text) = self.bare(ends)?;
                if ends == Ends::Inline && text.is_empty() {
                    return Err(self.unexpected("a value"));
                }
                let value = match column {
                    Some((column_type, name)) => column_type.convert(text, name),
                    None => classify(text),
                };
                match value.map_err(|error| error.at(at.line, at.column)) {
                    Ok(value) => (at.node(value), None),
                    Err(error) => (at.node(NodeValue::Null), Some(error)),
                }
            }
        };
        row.cells.push(node);
        if row.wrong_cell.is_none() {
            row.wrong_cell = wrong;
        }
        Ok(())
    }
}

impl Row {
    fn finish(self, columns: &Columns) -> Result<Node, Error> {
        let (found, declared) = (self.cells.len(), columns.width);
        if found != declared {
            let plural = |count| if count == 1 { "" } else { "s" };
            let message = format!(
                "row has {found} cell{}, {declared} column{} declared",
                plural(found),
                plural(declared)
            );
            return Err(self.at.error(ErrorKind::InvalidTableRow, message));
        }
        match self.wrong_cell {
            Some(error) => Err(error),
            None => Ok(self.at.node(NodeValue::Array(self.cells))),
        }
    }
}
