//! The helper for amounts of money: `price`.

use icu_locale_core::Locale;

use super::written::{LANGUAGES, grouped, plural_category, rounded};
use crate::{
    front_end::{
        PageState,
        helpers::{HelperRow, coercion::number, languages::Language, takes},
    },
    templates::{Call, HelperResult, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[HelperRow::inline("price", price)];

/// Currencies whose amounts do not have two decimals, by their number of decimals.
const DIGITS: [(usize, &str); 3] = [
    (
        0,
        "AFN ALL BIF CLP COP DJF GNF HUF IDR IQD ISK JPY KMF KRW LAK LBP MGA MMK PKR PYG RWF SOS UGX VND VUV XAF XOF XPF YER",
    ),
    (3, "BHD JOD KWD LYD OMR TND"),
    (4, "CLF"),
];

/// Narrow symbols of currencies whose usual symbol in English differs (CLDR 48).
const NARROW_SYMBOLS: &str = "AFN=؋_AMD=֏_AOA=Kz_ARS=$_AUD=$_AZN=₼_BAM=KM_BBD=$_BDT=৳_BMD=$_BND=$_BOB=Bs_BSD=$_BWP=P_BZD=$_\
     CAD=$_CLP=$_CNY=¥_COP=$_CRC=₡_CUC=$_CUP=$_CZK=Kč_DKK=kr_DOP=$_EGP=E£_FJD=$_FKP=£_GEL=₾_GHS=GH₵_GIP=£_GNF=FG_GTQ=Q_\
     GYD=$_HKD=$_HNL=L_HRK=kn_HUF=Ft_IDR=Rp_ISK=kr_JMD=$_KHR=៛_KMF=CF_KPW=₩_KYD=$_KZT=₸_LAK=₭_LBP=L£_LKR=Rs_LRD=$_MGA=Ar_\
     MMK=K_MNT=₮_MUR=Rs_MXN=$_MYR=RM_NAD=$_NGN=₦_NIO=C$_NOK=kr_NPR=Rs_NZD=$_PKR=Rs_PLN=zł_PYG=₲_RON=lei_RUB=₽_RWF=RF_SBD=$_\
     SEK=kr_SGD=$_SHP=£_SRD=$_SSP=£_STN=Db_SYP=£_THB=฿_TOP=T$_TRY=₺_TTD=$_TWD=$_UAH=₴_UYU=$_XCD=$_ZAR=R_ZMW=ZK";

/// How the currency of an amount is displayed.
#[derive(Clone, Copy, PartialEq)]
enum Display {
    Symbol,
    NarrowSymbol,
    Code,
    Name,
}

/// Writes an amount given in hundredths, or the amount of a plan, with the currency if there is one.
fn price(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 1)?;
    let given = call.argument(0);
    let option = |name| {
        call.option(name)
            .filter(|given| !matches!(given, Value::Undefined))
    };
    let own_currency = option("currency")
        .filter(|currency| currency.is_true())
        .cloned();
    let (amount, currency) = match &given {
        Value::Object(_) | Value::List(_) | Value::Time(_) => (
            given.get("amount"),
            Some(own_currency.unwrap_or_else(|| given.get("currency"))),
        ),
        amount => (amount.clone(), own_currency),
    };
    let Some(currency) = currency else {
        return Ok(match amount {
            Value::Number(amount) => Value::from(amount / 100.0),
            _ => Value::from(""),
        });
    };
    let code = currency.to_string().to_ascii_uppercase();
    if code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Err(call.error(format!(
            "{{{{price}}}} needs a currency code such as EUR, not \"{code}\""
        )));
    }
    let display = match option("currencyFormat").map(Value::to_string).as_deref() {
        None | Some("symbol") => Display::Symbol,
        Some("narrowSymbol") => Display::NarrowSymbol,
        Some("code") => Display::Code,
        Some("name") => Display::Name,
        Some(other) => {
            return Err(call.error(format!(
                "{{{{price}}}} does not support currencyFormat \"{other}\""
            )));
        }
    };
    let Value::Number(amount) = amount else {
        // Without an amount, Ghost formats 0 in English and removes the digits; only the symbol
        // remains.
        let symbol = symbol(&LANGUAGES.find("en"), &code);
        return Ok(Value::from(symbol.replace([' ', '\u{a0}', '.', ','], "")));
    };
    let is_short = option("numberFormat").is_none_or(|format| format.as_text() == Some("short"));
    let locale = match option("locale").map(Value::to_string) {
        None => call.state().locale.clone(),
        Some(locale) if Locale::try_from_str(&locale).is_ok() => locale,
        Some(other) => {
            return Err(call.error(format!("{{{{price}}}} does not support locale \"{other}\"")));
        }
    };
    let amount = number(&amount.into()) / 100.0;
    Ok(Value::from(written(
        amount, &code, display, is_short, &locale,
    )))
}

/// Formats an amount in a language. The short form has no decimals if the amount is whole.
fn written(amount: f64, code: &str, display: Display, is_short: bool, locale: &str) -> String {
    let language = LANGUAGES.find(locale);
    let usual = DIGITS
        .iter()
        .find(|(_, codes)| codes.contains(code))
        .map_or(2, |(digits, _)| *digits);
    let least = match (is_short, amount % 1.0 == 0.0) {
        (true, true) => 0,
        // Also for currencies without decimals, as in Ghost.
        (true, false) => 2,
        (false, _) => usual,
    };
    let digits = rounded(amount.abs(), least, usual.max(least));
    let text = grouped(&language, &digits, "price");
    let is_negative = amount < 0.0;
    if display == Display::Name {
        let text = match language.get("negative").filter(|_| is_negative) {
            Some(pattern) => pattern.replacen('#', &text, 1),
            None => text,
        };
        let name = name(&language, code, plural_category(&digits, locale, false));
        return language
            .get("named")
            .unwrap_or("# ¤")
            .replacen('#', &text, 1)
            .replacen('¤', name, 1);
    }
    let key = if is_negative {
        "negativePrice"
    } else {
        "price"
    };
    let pattern = language.get(key).unwrap_or("¤#");
    let symbol = match display {
        Display::Code => code,
        Display::NarrowSymbol => {
            symbol_in(NARROW_SYMBOLS, code).unwrap_or_else(|| symbol(&language, code))
        }
        Display::Symbol | Display::Name => symbol(&language, code),
    };
    spaced(pattern, symbol)
        .replacen('#', &text, 1)
        .replacen('¤', symbol, 1)
}

/// Returns a pattern with a no-break space next to the number, if the symbol has a letter on that side.
fn spaced(pattern: &str, symbol: &str) -> String {
    let is_letter = |character: Option<char>| character.is_some_and(char::is_alphabetic);
    if is_letter(symbol.chars().last()) && pattern.contains("¤#") {
        return pattern.replacen('¤', "¤\u{a0}", 1);
    }
    if is_letter(symbol.chars().next()) && pattern.contains("#¤") {
        return pattern.replacen('¤', "\u{a0}¤", 1);
    }
    pattern.to_owned()
}

/// Returns the symbol of a currency in a language; if there is none, its code.
fn symbol<'c>(language: &Language, code: &'c str) -> &'c str
where
    'static: 'c,
{
    // The code for no currency has the generic currency sign, as in CLDR.
    if code == "XXX" {
        return "¤";
    }
    let own = |symbols: &'static str| symbol_in(symbols, code);
    let english = LANGUAGES.find("en");
    let found = language
        .get("symbols")
        .and_then(own)
        .or_else(|| english.get("symbols").and_then(own));
    found.unwrap_or(code)
}

/// Returns the symbol of a currency from a list of symbols.
fn symbol_in(symbols: &'static str, code: &str) -> Option<&'static str> {
    symbols
        .split('_')
        .find_map(|symbol| symbol.strip_prefix(code)?.strip_prefix('='))
}

/// Returns the name of a currency in a language for a plural category; if the table does not have the name, its code.
fn name<'c>(language: &Language, code: &'c str, category: &str) -> &'c str
where
    'static: 'c,
{
    let names = language.get("names").unwrap_or_default().split('_');
    let Some(forms) = names
        .filter_map(|name| name.strip_prefix(code)?.strip_prefix('='))
        .next()
    else {
        return code;
    };
    let own = forms
        .split('/')
        .find_map(|form| form.strip_prefix(category)?.strip_prefix(':'));
    // The last form has no category: it is for all other numbers.
    own.or_else(|| forms.split('/').next_back()).unwrap_or(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_those_of_the_language() {
        let short = |amount, code, locale| written(amount, code, Display::Symbol, true, locale);
        assert_eq!(short(21.0, "USD", "en"), "$21");
        assert_eq!(short(21.5, "EUR", "de"), "21,50\u{a0}€");
        assert_eq!(short(1234.56, "USD", "en-GB"), "US$1,234.56");
        assert_eq!(short(21.5, "JPY", "ja"), "￥21.50");
        assert_eq!(short(21.5, "BRL", "pt-BR"), "R$\u{a0}21,50");
        assert_eq!(short(-5.0, "USD", "en"), "-$5");
        assert_eq!(short(5.0, "CHF", "en"), "CHF\u{a0}5");
        assert_eq!(written(21.0, "USD", Display::Symbol, false, "en"), "$21.00");
    }

    #[test]
    fn currencies_have_codes_and_names() {
        assert_eq!(written(5.0, "USD", Display::Code, true, "en"), "USD\u{a0}5");
        let narrow = |code| written(5.0, code, Display::NarrowSymbol, true, "en");
        assert_eq!(narrow("CAD"), "$5");
        assert_eq!(narrow("SEK"), "kr\u{a0}5");
        assert_eq!(narrow("EUR"), "€5");
        assert_eq!(
            written(21.0, "USD", Display::Name, true, "en"),
            "21 US dollars"
        );
        assert_eq!(
            written(1234.56, "USD", Display::Name, true, "de"),
            "1.234,56 US-Dollar"
        );
        assert_eq!(written(3.0, "PLN", Display::Name, true, "en"), "3 PLN");
    }
}
