#!/bin/sh
# Makes simple-language.vsix of this folder, which `code --install-extension` takes. A .vsix is a zip file with a
# manifest; it needs `zip` and no other tool.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$PWD/simple-language.vsix}
case $out in /*) ;; *) out=$PWD/$out ;; esac
version=$(sed -n 's/.*"version": "\([^"]*\)".*/\1/p' "$here/package.json")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/extension"
cd "$here"
cp -R package.json language-configuration.json extension.js client.js README.md syntaxes "$work/extension/"
cat > "$work/[Content_Types].xml" <<'XML'
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="json" ContentType="application/json"/><Default Extension="js" ContentType="application/javascript"/><Default Extension="md" ContentType="text/markdown"/><Default Extension="vsixmanifest" ContentType="text/xml"/></Types>
XML
cat > "$work/extension.vsixmanifest" <<XML
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="simple-language" Version="$version" Publisher="simple"/>
    <DisplayName>Simple</DisplayName>
    <Description>The language Simple: colours, and what its language server answers</Description>
    <Categories>Programming Languages,Formatters</Categories>
    <Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="^1.75.0"/></Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
  </Assets>
</PackageManifest>
XML
rm -f "$out"
cd "$work"
zip -q -r "$out" .
echo "made $out"
