//! `use`, `import` and `export`.

use super::{PResult, Parser};
use crate::ast::{ExportDecl, Ident, ItemKind, UseDecl, UseWhat};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;

impl Parser<'_> {
    /// `use a.b.{x, y as z}` and its other forms.
    pub(crate) fn use_decl(&mut self) -> PResult<UseDecl> {
        let word = self.bump();
        let import = word.tok == Tok::Import;
        if import {
            let span = self.span_of(word);
            self.deprecated(span, "import", "use");
        }
        let mut dots = 0;
        let mut segments = Vec::new();
        match self.kind() {
            Tok::Dot => {
                dots = 1;
                self.bump();
            }
            Tok::DotDot => {
                dots = 2;
                self.bump();
            }
            Tok::Ellipsis => {
                dots = 3;
                self.bump();
            }
            // `use .*` takes everything of the package.
            Tok::DotStar => {
                self.bump();
                return Ok(UseDecl {
                    dots: 1,
                    segments,
                    what: UseWhat::All,
                    import,
                });
            }
            Tok::Super => {
                while self.at(Tok::Super) {
                    dots += if dots == 0 { 2 } else { 1 };
                    self.bump();
                    self.path_dot("after `super`")?;
                }
            }
            Tok::Text => {
                let span = self.span();
                return Err(self.foreign(
                    span,
                    "a path in quotes",
                    "write the path with dots: `use app.net.client`",
                ));
            }
            _ => {}
        }
        if self.at(Tok::LBrace) && dots > 0 {
            let what = self.used_names()?;
            return Ok(UseDecl {
                dots,
                segments,
                what,
                import,
            });
        }
        segments.push(self.member("the name of a module")?);
        loop {
            match self.kind() {
                Tok::Dot | Tok::ColonColon => {
                    self.path_dot("in the path")?;
                    match self.kind() {
                        Tok::LBrace => {
                            let what = self.used_names()?;
                            return Ok(UseDecl {
                                dots,
                                segments,
                                what,
                                import,
                            });
                        }
                        Tok::Star => {
                            self.bump();
                            return Ok(UseDecl {
                                dots,
                                segments,
                                what: UseWhat::All,
                                import,
                            });
                        }
                        _ => segments.push(self.member("the next name of the path")?),
                    }
                }
                Tok::DotStar => {
                    self.bump();
                    return Ok(UseDecl {
                        dots,
                        segments,
                        what: UseWhat::All,
                        import,
                    });
                }
                _ => break,
            }
        }
        if self.at(Tok::LParen) {
            if !import {
                let paren = self.span();
                let message = "names in parentheses after a module are deprecated";
                self.report(
                    Diagnostic::warning(codes::DEPRECATED, paren, message)
                        .help("write them in braces: `use a.b.{x, y}`"),
                );
            }
            let names = self.bracketed(Tok::LParen, Tok::RParen, |p| {
                p.comma_list(Tok::RParen, |p| p.use_name())
            })?;
            return Ok(UseDecl {
                dots,
                segments,
                what: UseWhat::Names(names),
                import,
            });
        }
        let alias = if self.eat(Tok::As) {
            Some(self.ident("the new name")?)
        } else {
            None
        };
        if self.at(Tok::Comma) {
            let span = self.span();
            return Err(self.report(
                Diagnostic::error(codes::UNEXPECTED, span, "one `use` names one module")
                    .found_expected("`,`", "the end of the line")
                    .help("write one `use` for each module; several names of one module are written in braces"),
            ));
        }
        Ok(UseDecl {
            dots,
            segments,
            what: UseWhat::Path(alias),
            import,
        })
    }

    /// `.` or, with a warning, `::`.
    fn path_dot(&mut self, purpose: &str) -> PResult<()> {
        if self.at(Tok::ColonColon) {
            let span = self.span();
            self.deprecated(span, "::", ".");
            self.bump();
            return Ok(());
        }
        self.expect(Tok::Dot, purpose)?;
        Ok(())
    }

    /// `{x, y as z}`, or `{*}`, which is everything.
    fn used_names(&mut self) -> PResult<UseWhat> {
        self.bracketed(Tok::LBrace, Tok::RBrace, |p| {
            if p.at(Tok::Star) && p.ahead(1) == Tok::RBrace {
                p.bump();
                return Ok(UseWhat::All);
            }
            let names = p.comma_list(Tok::RBrace, |p| p.use_name())?;
            Ok(UseWhat::Names(names))
        })
    }

    fn use_name(&mut self) -> PResult<(Ident, Option<Ident>)> {
        if self.at(Tok::Star) {
            let span = self.span();
            return Err(self.foreign(
                span,
                "`*` among names",
                "everything is `use module.*`, without other names",
            ));
        }
        let name = self.member("a name to import")?;
        let alias = if self.eat(Tok::As) {
            Some(self.ident("the new name")?)
        } else {
            None
        };
        Ok((name, alias))
    }

    /// The rest of `export x, Y` or `export use .part.*`, after the word.
    pub(crate) fn export_decl(&mut self) -> PResult<ItemKind> {
        if matches!(self.raw().tok, Tok::Use | Tok::Import) {
            return Ok(ItemKind::Export(ExportDecl::Use(self.use_decl()?)));
        }
        if self.eat(Tok::Star) {
            return Ok(ItemKind::Export(ExportDecl::All));
        }
        let braces = self.at(Tok::LBrace);
        if braces {
            let names = self.bracketed(Tok::LBrace, Tok::RBrace, |p| {
                p.comma_list(Tok::RBrace, |p| p.ident("a name to export"))
            })?;
            return Ok(ItemKind::Export(ExportDecl::Names(names)));
        }
        let mut names = Vec::new();
        loop {
            names.push(self.ident("a declaration or a name to export")?);
            if !self.eat(Tok::Comma) {
                return Ok(ItemKind::Export(ExportDecl::Names(names)));
            }
            self.join();
        }
    }
}
