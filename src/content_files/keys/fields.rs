//! The macro that declares the keys of a file.

/// Declares the keys of a file as a struct of parsed values.
///
/// `name: Type, or "other" | "names";` becomes a public field `name: Option<Type::Value>` with the comment above it, which
/// is also the key's description in the JSON Schema, and a row of `KEYS`. With `texts of TABLE`, the struct also has the texts
/// of that table of fields.
macro_rules! fields {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $struct:ident $(with texts of $table:ident)? {
            $(
                $(#[doc = $doc:literal])+
                $name:ident: $type:ty $(, or $($alias:literal)|+)?;
            )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
        $visibility struct $struct {
            $(
                $(#[doc = $doc])+
                pub $name: Option<<$type as $crate::content_files::keys::FieldType>::Value>,
            )+
            $(
                #[doc = concat!("The texts of `", stringify!($table), "`.")]
                #[serde(flatten)]
                pub texts: $crate::content_files::keys::Texts,
            )?
        }

        impl $struct {
            pub(crate) const KEYS: &'static [$crate::content_files::keys::Key] = &[
                $($crate::content_files::keys::Key::new::<$type>(
                    $crate::content_files::keys::plain(stringify!($name)),
                    &[$($($alias),+)?],
                    concat!($($doc, "\n"),+),
                ),)+
            ];

            pub(crate) fn from_entries(
                entries: &$crate::content_files::keys::Entries<'_>,
                reader: &mut $crate::content_files::keys::Reader<'_>,
            ) -> Self {
                Self {
                    $($name: entries.read::<$type>($crate::content_files::keys::plain(stringify!($name)), reader),)+
                    $(texts: $crate::content_files::keys::Texts::from_entries($table, entries, reader),)?
                }
            }
        }
    };
}
pub(in crate::content_files) use fields;
